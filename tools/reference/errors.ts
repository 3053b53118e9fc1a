import { errors } from '#contract'
import { code, page, table } from './markdown.ts'

export const errorsPage = (): string =>
  page(
    '# Error codes',
    [
      'Every error response has this body. `details` is optional. For `invalid_parameter` and',
      '`unsupported_include`, it lists every problem with the request.',
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
      '`error` is a sentence for people, and its wording may change. `errorCode` is for programs and',
      'does not change. Every response has an `X-Request-Id` header. The server log has the same id.',
    ].join('\n'),
    table(
      ['errorCode', 'Status', 'Description'],
      Object.entries(errors).map(([name, { status, meaning }]) => [
        code(name),
        String(status),
        meaning,
      ]),
    ),
    [
      '- 401 responses have `WWW-Authenticate: Bearer`, with `error="invalid_token"` if the request had a key.',
      '- With `OAUTH=on`, 401 responses of `/mcp` also have `resource_metadata`. The paths below `/oauth` respond in the form of OAuth: `error` and `error_description`.',
      '- 405 responses have `Allow: GET, HEAD`. On `/mcp`, they have `Allow: POST`.',
      '- 429 responses have `Retry-After` in whole seconds. A retry after that time succeeds.',
      '- `store_unavailable` and `storage_unavailable` also have `Retry-After`.',
      '- `invalid_link` and `range_not_satisfiable` occur only for temporary image URLs.',
      '- `forbidden_origin` occurs only on `/mcp` and the consent page, `body_too_large` there and on the port that receives records.',
      '- `invalid_signature`, `unsupported_media_type`, `batch_refused`, `idempotency_conflict` and `queue_full` occur only on the port that receives records. `queue_full` has `Retry-After`.',
      '- `not_ready` occurs only on `/readyz`.',
    ].join('\n'),
  )
