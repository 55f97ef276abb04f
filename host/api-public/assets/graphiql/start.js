// Asks this gateway, with the headers that are typed below the query: {"Authorization": "Bearer <token>"}.
(() => {
  const start = [
    '# Put a token into the tab "Headers" below:',
    '#   {"Authorization": "Bearer <ACCESS_TOKEN>"}',
    '',
    'query {',
    '  authIdentity { whoami { uuid name status } }',
    '}',
    '',
  ].join('\n');
  const fetcher = GraphiQL.createFetcher({ url: '/v1' });
  const root = ReactDOM.createRoot(document.getElementById('graphiql'));
  root.render(React.createElement(GraphiQL, {
    fetcher,
    defaultQuery: start,
    defaultHeaders: '{"Authorization": "Bearer "}',
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
  }));
})();
