// Shows the document of the listener that serves this page.
(() => {
  const options = {
    expandResponses: '200,201',
    pathInMiddlePanel: true,
    requiredPropsFirst: true,
    theme: {
      typography: {
        fontFamily: 'system-ui, sans-serif',
        headings: { fontFamily: 'system-ui, sans-serif' },
        code: { fontFamily: 'ui-monospace, monospace' },
      },
    },
  };
  Redoc.init('/openapi.json', options, document.getElementById('reference'));
})();
