import { rules } from '#check'
import { catalog, resourceAt } from '#contract'
import { anchorOf, code, page, table } from './markdown.ts'

export const rulesPage = (): string =>
  page(
    '# Rules',
    [
      `\`selvedge check\` holds a brand's records to these ${rules.length} rules. An error means that records`,
      'contradict each other. A warning is possible, but a person should look.',
    ].join('\n'),
    table(
      ['Rule', 'Severity', 'What is always so', 'Collections'],
      rules.map(({ id, severity, sentence, collections }) => [
        code(id),
        severity,
        sentence,
        collections.map(linkTo).join(', '),
      ]),
    ),
  )

const linkTo = (path: string): string => {
  const { domain, group } = resourceAt(catalog, path)
  return `[${path}](resources/${domain}.md#${anchorOf(group)})`
}
