import { settings } from '#config'
import { code, page, table } from './markdown.ts'

export const configurationPage = (): string =>
  page(
    '# Configuration',
    [
      'The server and every command read their settings from environment variables. All of them are',
      'optional. The program refuses to start on a value that makes no sense, and names every such',
      'variable at once.',
    ].join('\n'),
    table(
      ['Variable', 'Default', 'Meaning'],
      settings.map(({ name, default: fallback, meaning }) => [
        code(name),
        fallback === '' ? 'not set' : code(fallback),
        meaning,
      ]),
    ),
  )
