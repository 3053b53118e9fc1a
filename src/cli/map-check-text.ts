import { catalog, formatCount, type JsonValue, leafFields, resourceAt, valueAt } from '#contract'
import { plainText, type Report, type SourcePreview } from '#ingest'
import { describeOpenValue, fieldOrigin, type ListedOpenValue, type Mapping } from '#mapping'
import type { BrokenRule, Trial, TriedRules } from '#operator'
import { problemSentence } from './problem-sentence.ts'

/** The sources of a mapping check, and the results. */
export interface CheckedMapping extends Trial {
  readonly mapping: Mapping
  readonly report: Report
  /** Values that are not decided, and whether that is accepted. */
  readonly open: readonly ListedOpenValue[]
  readonly allowsOpen: boolean
  /** Null if neither the mapping nor the command names one. */
  readonly brand: string | null
  /** Whether the rows were compared with stored records. */
  readonly isStored: boolean
  /** The origin of a preview: several collections may use the same columns. */
  readonly originOf: (preview: SourcePreview) => string
  /** Collections without a file, and files without a collection. */
  readonly unused: readonly string[]
  readonly skipped: readonly string[]
  /** Whether rows of the mapping are missing that others may refer to. */
  readonly isPartial: boolean
  /** The noun for counting rows. */
  readonly rowName: string
  /** The rows that were read, if not all. */
  readonly extent: string | null
  /** The command for a complete check. */
  readonly next: string
}

const shownProblems = 20

/** The result of a mapping check, for people. */
export const checkText = (checked: CheckedMapping): string => {
  const { previews, unused, skipped, report, rules } = checked
  const groups = report.groups.slice(0, shownProblems)
  const listed = groups.reduce((sum, { problems }) => sum + problems, 0)
  const more = report.errors + report.warnings - listed
  return [
    ...previews.flatMap((preview) => [...previewLines(checked, preview), '']),
    ...Object.entries(unusedColumns(checked)).flatMap(([name, columns]) =>
      columns.length > 0 ? [`${name}: no collection uses the columns ${columns.join(', ')}`] : [],
    ),
    ...(skipped.length > 0 ? [`skipped, because no pattern matches: ${skipped.join(', ')}`] : []),
    ...unused.map((collection) => `${collection}: no file matches its pattern`),
    ...groups.map(problemSentence),
    ...(more > 0 ? [`… and ${more.toLocaleString('en')} more problems`] : []),
    ...openLines(checked),
    ...(rules ? ruleLines(rules) : []),
    ...outcomeLines(checked),
  ]
    .map(plainText)
    .join('\n')
}

/** Columns of each file or query that no collection uses. */
export const unusedColumns = ({
  previews,
  originOf,
}: Pick<CheckedMapping, 'previews' | 'originOf'>): {
  readonly [origin: string]: readonly string[]
} =>
  Object.fromEntries(
    [...Map.groupBy(previews, originOf)].map(([origin, all]) => [
      origin,
      (all[0]?.columns ?? []).filter((column) =>
        all.every((each) => each.unusedColumns.includes(column)),
      ),
    ]),
  )

const previewLines = (checked: CheckedMapping, preview: SourcePreview): readonly string[] => {
  const { name, collection, mappingLine, rows, leftOut, removals, records, fields } = preview
  const counts = [
    formatCount(records, 'record'),
    ...(leftOut > 0 ? [`${leftOut.toLocaleString('en')} left out`] : []),
    ...(preview.repeated > 0 ? [`${preview.repeated.toLocaleString('en')} repeated`] : []),
    ...(removals > 0 ? [formatCount(removals, 'removal')] : []),
    ...(preview.refused > 0 ? [`${preview.refused.toLocaleString('en')} with problems`] : []),
  ]
  const mapped = fields.filter(({ isMapped }) => isMapped)
  const hasValues = fields.some(({ filled }) => filled > 0)
  const empty = mapped.filter(({ filled }) => filled === 0 && hasValues)
  const missing = fields.filter(({ isMapped, field }) => !isMapped && field !== 'id')
  return [
    `${name} → ${collection} (${checked.mapping.file}:${mappingLine})`,
    `  ${formatCount(rows, 'row')}: ${counts.join(', ')}`,
    `  ${mapped.length} of ${fields.length} fields are mapped${empty.length > 0 ? `; always empty: ${empty.map(({ field }) => field).join(', ')}` : ''}`,
    ...(missing.length > 0 ? [`  null: ${missing.map(({ field }) => field).join(', ')}`] : []),
    ...preview.samples.flatMap((sample) => sampleLines(checked, preview, sample)),
  ]
}

/** A record, with each value beside its source cells. */
const sampleLines = (
  { mapping, rowName }: CheckedMapping,
  { collection, mappingLine }: SourcePreview,
  { line, before, after }: SourcePreview['samples'][number],
): readonly string[] => {
  const own = mapping.collections.find((each) => each.line === mappingLine)
  const leaves = leafFields(resourceAt(catalog, collection).fields)
  const shown = leaves
    .map((leaf) => ({
      name: leaf.name,
      pointer: `/${leaf.path.join('/')}`,
      value: valueAt(after, leaf.path),
    }))
    .filter(({ value }) => value !== null)
  const nameWidth = Math.max(0, ...shown.map(({ name }) => name.length))
  const texts = shown.map(({ value }) => shortText(value))
  const valueWidth = Math.max(0, ...texts.map((text) => text.length))
  return [
    `  ${rowName} ${line}:`,
    ...shown.map(({ name, pointer }, index) => {
      const { column } = own ? fieldOrigin(own, pointer) : { column: '' }
      const cells = column
        .split(', ')
        // The value of a cursor that no field uses is a cell without a name.
        .filter((each) => each !== '' && Object.hasOwn(before, each))
        .map((each) => `${each} ${shortText(before[each] ?? null) || '(empty)'}`)
      const origin = cells.length > 0 ? `← ${cells.join(', ')}` : ''
      return `    ${name.padEnd(nameWidth)}  ${(texts[index] ?? '').padEnd(valueWidth)}  ${origin}`.trimEnd()
    }),
  ]
}

const textLengthMax = 40

const shortText = (value: JsonValue): string => {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  return text.length > textLengthMax ? `${text.slice(0, textLengthMax)}…` : text
}

const openLines = ({ open, mapping, allowsOpen }: CheckedMapping): readonly string[] => {
  if (open.length === 0) return []
  const [these, are] = open.length > 1 ? ['them', 'are'] : ['it', 'is']
  return [
    ...open.map((each) => `${mapping.file}:${each.line} ${describeOpenValue(each)}`),
    `${formatCount(open.length, 'value')} ${are} open. ${
      allowsOpen
        ? 'The first candidate of each counts.'
        : `Decide ${these}: import, sync and watch refuse the mapping without --allow-open.`
    }`,
  ]
}

const ruleLines = ({ checked, left, broken }: TriedRules): readonly string[] => {
  const rest = left > 0 ? [`${formatCount(left, 'rule')} took too long to be checked.`] : []
  if (broken.length === 0) return [`All ${checked} rules of selvedge check pass.`, ...rest]
  return [
    `The records break ${broken.length} of ${formatCount(checked, 'rule')} of selvedge check:`,
    ...broken.map((each) => `  ${ruleText(each)}`),
    ...rest,
  ]
}

const ruleText = ({ id, severity, sentence, count, records: [first] }: BrokenRule): string => {
  const example = first ? `, first ${first.name ?? first.key.join(' ')}: ${first.detail}` : ''
  return `${id} ${severity}: ${sentence} (${count.toLocaleString('en')}${example})`
}

const outcomeLines = (checked: CheckedMapping): readonly string[] => {
  const { report, previews, extent, next, isPartial, isStored, brand } = checked
  const sum = (of: 'rows' | 'records' | 'refused') =>
    previews.reduce((total, each) => total + each[of], 0)
  const [rows, records] = [sum('rows'), sum('records')]
  const hasBrandRecord = previews.some(
    ({ collection }) => resourceAt(catalog, collection).lookup !== undefined,
  )
  const become = rows === 1 ? 'becomes' : 'become'
  const outcome =
    rows === records
      ? 'Every row becomes a record.'
      : `${formatCount(rows, 'row')} ${become} ${formatCount(records, 'record')}.`
  return [
    ...(extent ? [extent] : []),
    ...(isStored
      ? []
      : [
          brand === null
            ? 'Without a brand, nothing stored was compared: use --brand <slug>.'
            : `There is no brand ${brand}, so nothing stored was compared.${hasBrandRecord ? '' : ` To add it: selvedge brands add ${brand} --name <name>`}`,
        ]),
    report.errors > 0
      ? `${formatCount(report.errors, 'problem')} in ${formatCount(sum('refused'), 'row')}.`
      : `${outcome}${isPartial ? ` Keys and references are checked by ${next}.` : ''}`,
  ]
}
