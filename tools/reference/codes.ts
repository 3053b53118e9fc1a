import { type Code, catalog, codedFields, codeRules, codes, furtherCodes } from '#contract'
import { code, page, table } from './markdown.ts'

export const codesPage = (): string =>
  page(
    '# Codes',
    [
      'Fields with these codes are strings in every response. Their values are checked: an **error** on the way in,',
      'by `selvedge check` and by `selvedge map check`; a **warning** by `selvedge check` only.',
    ].join('\n'),
    table(
      ['Code', 'Severity', 'Value', 'Fields'],
      Object.entries({ ...codes, ...furtherCodes }).map(([name, value]) => [
        code(name),
        codeRules[name as Code].severity,
        value,
        fieldsOf(name as Code)
          .map(code)
          .join(', '),
      ]),
    ),
    [
      '- Countries are those of ISO 3166-1, and `XK` for Kosovo, which has no official code. `UK`, `EU` and codes of former countries are invalid.',
      '- Currencies are those of ISO 4217, including former ones, funds, metals, `XTS` and `XXX`.',
      '- A time zone is any name that the runtime knows, such as `UTC`, `Asia/Kolkata` or an older name of a zone.',
      '- Spaces, dots and hyphens do not count in tariff codes and container numbers.',
      '- A URL may have a placeholder such as `{trackingNumber}`.',
    ].join('\n'),
  )

const fieldsOf = (name: Code): readonly string[] =>
  catalog.resources.flatMap(({ path, fields }) =>
    codedFields(fields)
      .filter((each) => each.code === name)
      .map((each) => `${path}.${each.path.join('.')}`),
  )
