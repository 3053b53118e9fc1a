import { errors } from '#contract'
import { code, page, table } from './markdown.ts'

export const errorsPage = (): string =>
  page(
    '# Error codes',
    [
      'Every answer that is not a success has this body. `details` is there when there is more to',
      'say; for `invalid_parameter` and `unsupported_include` it lists every problem of the request.',
    ].join('\n'),
    [
      '```json',
      '{',
      '  "error": "Parameter limit must be a whole number from 1 to 100.",',
      '  "errorCode": "invalid_parameter",',
      '  "details": [{ "parameter": "limit", "issue": "must be a whole number from 1 to 100" }]',
      '}',
      '```',
    ].join('\n'),
    [
      '`error` is a sentence for people and may change. `errorCode` is for programs and does not.',
      'Every answer has an `X-Request-Id`; the server log has the same id.',
    ].join('\n'),
    table(
      ['errorCode', 'Status', 'Meaning'],
      Object.entries(errors).map(([name, { status, meaning }]) => [
        code(name),
        String(status),
        meaning,
      ]),
    ),
    [
      '- 401 carries `WWW-Authenticate: Bearer`, with `error="invalid_token"` when a key was sent.',
      '- 405 carries `Allow: GET, HEAD`; that of `/mcp` carries `Allow: POST`.',
      '- 429 carries `Retry-After` in whole seconds. Waiting that long is enough.',
      '- `store_unavailable` and `storage_unavailable` carry `Retry-After` too.',
      '- `invalid_link` and `range_not_satisfiable` come from temporary image addresses only.',
      '- `forbidden_origin` and `body_too_large` come from `/mcp` only.',
      '- `not_ready` comes from `/readyz` only.',
    ].join('\n'),
  )
