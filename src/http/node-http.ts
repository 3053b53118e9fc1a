/**
 * Node's HTTP server. An import declaration reads all exports of `node:http`, and reading some of
 * them loads Node's HTTP client, which takes a tenth of the startup time.
 */
export const { createServer, ServerResponse } = process.getBuiltinModule('node:http')
