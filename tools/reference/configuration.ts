import { settings } from '#config'
import { code, page, table } from './markdown.ts'

export const configurationPage = (): string =>
  page(
    '# Configuration',
    [
      'The server and every command read their settings from environment variables. All of them are',
      'optional. If a value is invalid, the program does not start and reports every invalid variable.',
    ].join('\n'),
    table(
      ['Variable', 'Default', 'Description'],
      settings.map(({ name, default: fallback, meaning }) => [
        code(name),
        fallback === '' ? 'not set' : code(fallback),
        meaning,
      ]),
    ),
  )
