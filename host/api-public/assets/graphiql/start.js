// Asks for an access token, then opens the editor, whose requests carry it. The token is kept for this tab alone
// (sessionStorage), and neither it nor the secret ever stands in an address.
(() => {
  const KEPT = 'gateway.access_token';
  const start = [
    '# Your requests carry the token of this tab.',
    '',
    'query {',
    '  authIdentity { whoami { uuid name status } }',
    '}',
    '',
  ].join('\n');
  const at = (id) => document.getElementById(id);
  const root = ReactDOM.createRoot(at('graphiql'));

  const token = () => sessionStorage.getItem(KEPT);

  // A header that is typed below the query goes before the token of the tab.
  const send = async (address, init) => {
    const headers = new Headers(init.headers);
    const own = headers.has('Authorization');
    const carried = token();
    if (!own && carried) headers.set('Authorization', `Bearer ${carried}`);
    const answer = await fetch(address, { ...init, headers, credentials: 'omit' });
    // Whoever asks with an older token is not the one to end the session.
    if (answer.status === 401 && !own && carried === token()) {
      ask('The gateway takes this token no more: it has expired, or it is not of this gateway.');
    }
    return answer;
  };

  const ask = (problem) => {
    sessionStorage.removeItem(KEPT);
    root.render(null);
    at('session').hidden = true;
    at('access').hidden = false;
    tell(problem);
    at('client-id').focus();
  };

  const tell = (problem) => {
    at('problem').textContent = problem ?? '';
    at('problem').hidden = !problem;
  };

  const open = (access) => {
    sessionStorage.setItem(KEPT, access);
    tell();
    for (const field of ['client-secret', 'token']) at(field).value = '';
    at('access').hidden = true;
    at('session').hidden = false;
    at('whose').textContent = 'Requests carry the access token of this tab.';
    root.render(React.createElement(GraphiQL, {
      fetcher: GraphiQL.createFetcher({ url: '/v1', fetch: send }),
      defaultQuery: start,
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
    }));
  };

  at('client').addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = event.submitter ?? at('client').querySelector('button');
    button.disabled = true;
    tell();
    try {
      const answer = await fetch('/v1/oauth2/token', {
        method: 'POST',
        // A browser would answer the refusal (`WWW-Authenticate: Basic`) with a dialog of its own.
        credentials: 'omit',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'client_credentials',
          client_id: at('client-id').value.trim(),
          client_secret: at('client-secret').value.trim(),
        }),
      });
      const said = await answer.json().catch(() => ({}));
      if (answer.ok && said.access_token) open(said.access_token);
      else tell(`There is no token (HTTP ${answer.status}): ${said.error_description ?? said.error ?? 'try again'}.`);
    } catch {
      tell('The gateway does not answer: try again.');
    } finally {
      button.disabled = false;
    }
  });

  at('paste').addEventListener('submit', (event) => {
    event.preventDefault();
    const pasted = at('token').value.trim().replace(/^bearer\s+/i, '');
    // Only what can stand in a header (RFC 6750, section 2.1).
    if (/^[\w.~+/-]+=*$/.test(pasted)) open(pasted);
    else tell('This is no access token: paste it whole, without quotes.');
  });

  at('leave').addEventListener('click', () => ask());

  if (token()) open(token());
  else ask();
})();
