import { rules } from '#check'
import { catalog, resourceAt } from '#contract'
import { anchorOf, code, page, table } from './markdown.ts'

export const rulesPage = (): string =>
  page(
    '# Rules',
    [
      `\`selvedge check\` checks a brand's records against these ${rules.length} rules. An error means that`,
      'records contradict each other. A warning is unusual but possible, and worth a review.',
    ].join('\n'),
    table(
      ['Rule', 'Severity', 'Rule text', 'What to do', 'Collections'],
      rules.map(({ id, severity, sentence, remedy, collections }) => [
        code(id),
        severity,
        sentence,
        remedy,
        collections.map(linkTo).join(', '),
      ]),
    ),
  )

const linkTo = (path: string): string => {
  const { domain, group } = resourceAt(catalog, path)
  return `[${path}](resources/${domain}.md#${anchorOf(group)})`
}
