import type { JsonValue } from '#contract'

/*
 * The derivations of gold mappings as data, and the same for what a proposal says, so that they can be
 * compared. bench/schemas/README.md has the notation.
 */

/** What is done to columns, besides taking them. */
export type Form =
  | 'country'
  | 'currency'
  | 'values'
  | 'when'
  | 'unit'
  | 'part'
  | 'plus'
  | 'difference'
  | 'product'
  | 'quotient'
  | 'sum'
  | 'count'
  | 'min'
  | 'max'
  | 'firstRow'

export interface Derivation {
  readonly kind: 'columns' | 'reference' | 'constant' | 'brand' | 'time' | 'open' | 'absent' | 'key'
  /** Sorted; those of joined tables with the names of their tables. */
  readonly columns: readonly string[]
  /** Constants as texts, of which `*` is any; or the property of a brand or a time. */
  readonly constants: readonly string[]
  readonly forms: ReadonlySet<Form>
  /** For the texts of a column, the values that are right. */
  readonly values: ReadonlyMap<string, readonly string[]> | null
}

export type DerivationText = JsonValue

const derivation = (kind: Derivation['kind'], parts: Partial<Derivation> = {}): Derivation => ({
  kind,
  columns: [...new Set(parts.columns)].sort(),
  constants: parts.constants ?? [],
  forms: parts.forms ?? new Set(),
  values: parts.values ?? null,
})

/** The alternatives of a field in a gold mapping. */
export const parseDerivations = (node: DerivationText): readonly Derivation[] =>
  (Array.isArray(node) ? node : [node]).map(parseDerivation)

const parseDerivation = (node: DerivationText): Derivation => {
  if (typeof node === 'object' && node !== null && !Array.isArray(node)) {
    const { column, values } = node as { readonly column: string; readonly values: object }
    return derivation('columns', {
      columns: [column],
      values: new Map(
        Object.entries(values).map(([text, right]) => [text, [right].flat().map(String)]),
      ),
    })
  }
  const text = String(node)
  if (text === 'open' || text === 'absent') return derivation(text)
  if (text === 'own key') return derivation('key')
  if (text === 'first-seen' || text === 'last-changed')
    return derivation('time', { constants: [text] })
  const [, property] = /^brand (\w+)$/.exec(text) ?? []
  if (property !== undefined) return derivation('brand', { constants: [property] })
  const [, target] = /^-> (.+)$/.exec(text) ?? []
  if (target !== undefined) return { ...parseColumns(target), kind: 'reference' }
  return parseColumns(text)
}

const rowsFunctions: { readonly [name: string]: Form } = {
  sum: 'sum',
  count: 'count',
  min: 'min',
  max: 'max',
  first: 'firstRow',
}

const parseColumns = (text: string): Derivation => {
  const [, before = text, form] = /^(.*) as (\w+)$/.exec(text) ?? []
  const [, name = '', inner = before] = /^(sum|count|min|max|first)\((.*)\)$/.exec(before) ?? []
  const forms = new Set<Form>()
  if (form === 'arithmetic') forms.add('plus')
  else if (form !== undefined) forms.add(form as Form)
  if (name !== '') forms.add(rowsFunctions[name] as Form)
  if (inner.includes(' - ')) forms.add('difference')
  if (/\S \* /.test(inner) && !inner.startsWith('=')) forms.add('product')
  const separator = forms.has('difference') ? ' - ' : forms.has('product') ? ' * ' : ' + '
  const parts = inner.split(separator)
  const constants = parts.filter((part) => part.startsWith('= ')).map((part) => part.slice(2))
  const columns = parts.filter((part) => !part.startsWith('= '))
  return derivation(columns.length > 0 ? 'columns' : 'constant', { columns, constants, forms })
}

/** Forms that change what a value is; the others convert how it is written. */
const structural = [
  'plus',
  'difference',
  'product',
  'quotient',
  'sum',
  'count',
  'min',
  'max',
  'firstRow',
] as const satisfies readonly Form[]

export const sameColumns = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((column, index) => column === other[index])

const fitsConstants = (right: readonly string[], said: readonly string[]): boolean =>
  right.every((constant) =>
    constant === '*' ? said.length > 0 : said.some((each) => each.toLowerCase() === constant),
  )

/** Whether a proposed derivation is a right one, apart from value lists. */
export const fits = (right: Derivation, said: Derivation): boolean => {
  if (right.kind === 'columns' || right.kind === 'reference') {
    const isIdentifier = right.kind === 'reference' && said.kind === 'columns'
    if (right.kind !== said.kind && !(isIdentifier && said.forms.size === 0)) return false
    return (
      sameColumns(right.columns, said.columns) &&
      fitsConstants(right.constants, said.constants) &&
      structural.every((form) => right.forms.has(form) === said.forms.has(form)) &&
      [...right.forms].every((form) => said.forms.has(form) || isListed(form, said))
    )
  }
  if (right.kind !== said.kind) return false
  return right.kind === 'open' || fitsConstants(right.constants, said.constants)
}

/** A list of values, or cases, does what a conversion of codes does. */
const isListed = (form: Form, { forms }: Derivation): boolean =>
  (form === 'country' || form === 'currency' || form === 'values') &&
  (forms.has('values') || forms.has('when'))

/** A derivation for readers of a report. */
export const derivationText = ({ kind, columns, constants, forms, values }: Derivation): string => {
  if (kind === 'open' || kind === 'absent') return kind
  if (kind === 'key') return 'its own key'
  if (kind === 'time') return constants.join()
  if (kind === 'brand') return `the brand's ${constants.join()}`
  if (kind === 'constant') return `the constant ${constants.join(', ') || 'null'}`
  const all = [...constants.map((each) => `"${each}"`), ...columns].join(' + ')
  const names = [...forms, ...(values && !forms.has('values') ? ['values'] : [])]
  const done = names.length > 0 ? `${all} (${names.join(', ')})` : all
  return kind === 'reference' ? `→ ${done}` : done
}
