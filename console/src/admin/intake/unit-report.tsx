import type {
  OperatorImportCounts,
  OperatorImportDetails,
  OperatorProblem,
} from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { titleOf } from '../../sources/group-title.ts'
import { adminTexts } from '../../texts/admin.ts'
import { Section } from '../section.tsx'
import { type Column, Table } from '../table.tsx'

/** What a unit did to each group. */
export const UnitCounts = ({ collections }: Pick<OperatorImportDetails, 'collections'>) => {
  const words = adminTexts().intake
  return (
    <Section title={words.report}>
      {collections.length === 0 ? (
        <p className="quiet">{words.nothingStored}</p>
      ) : (
        <Table
          label={words.report}
          columns={countColumns()}
          rows={collections}
          rowKey={({ collection }) => collection}
        />
      )}
    </Section>
  )
}

const countColumns = (): readonly Column<OperatorImportCounts>[] => {
  const words = adminTexts().intake
  const counts = ['read', 'added', 'changed', 'unchanged', 'removed', 'quarantined'] as const
  return [
    { key: 'group', title: words.group, cell: ({ collection }) => titleOf(collection) },
    ...counts.map((name) => ({
      ...{ key: name, title: words[name], isNumber: true },
      cell: (each: OperatorImportCounts) => countText(each[name]),
    })),
  ]
}

type Problems = Pick<OperatorImportDetails, 'problems' | 'firstProblems'>

/** The first problems of a unit. Reasons are in English: they come from the server. */
export const UnitProblems = ({ problems, firstProblems }: Problems) => {
  const words = adminTexts().intake
  if (problems === 0) return null
  return (
    <Section
      title={words.problems(problems)}
      about={firstProblems.length < problems ? words.firstProblems(firstProblems.length) : null}
    >
      <Table
        label={words.problems(problems)}
        columns={problemColumns()}
        rows={firstProblems}
        rowKey={(problem) => JSON.stringify(problem)}
      />
    </Section>
  )
}

const problemColumns = (): readonly Column<OperatorProblem>[] => {
  const words = adminTexts().intake
  return [
    { key: 'reason', title: words.reason, cell: ({ reason }) => <span lang="en">{reason}</span> },
    { key: 'field', title: words.field, cell: (problem) => <code>{fieldOf(problem)}</code> },
    { key: 'value', title: words.value, cell: ({ value }) => value },
    { key: 'record', title: words.record, cell: ({ key }) => key ?? '–' },
    {
      key: 'line',
      title: words.line,
      isNumber: true,
      cell: ({ line }) => (line === null ? '–' : countText(line)),
    },
  ]
}

/** The column of the source, or the field of a record. */
export const fieldOf = ({ column, field }: Pick<OperatorProblem, 'column' | 'field'>): string =>
  column ?? field.replace(/^\//, '')
