/**
 * Node's HTTP server. An import declaration reads all exports of `node:http`, and some of them load
 * Node's HTTP client when they are read, which takes a tenth of the time of a start.
 */
export const { createServer, ServerResponse } = process.getBuiltinModule('node:http')
