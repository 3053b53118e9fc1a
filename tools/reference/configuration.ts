import { settings } from '#config'
import { code, page, table } from './markdown.ts'

const secrets = settings.filter(({ isSecret }) => isSecret)

export const configurationPage = (): string =>
  page(
    '# Configuration',
    [
      'The server and every command read their settings from environment variables. All of them are',
      'optional. If a value is invalid, the program does not start and reports every invalid variable.',
      '`selvedge config check` also finds misspelt names, servers that cannot be reached and unsafe files.',
    ].join('\n'),
    [
      `${secrets.map(({ name }) => code(name)).join(', ')} can also be read from a file: the same name with`,
      '`_FILE` at its end, such as `DATABASE_URL_FILE`, names a file of at most 64 KiB. A line break at its',
      'end does not count. Setting both is an error. Every process reads it when it starts, so it must stay',
      'there while workers can be replaced. The variable that a mapping names for the address of a source',
      'database, such as `SOURCE_URL`, can be read from a file in the same way.',
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
