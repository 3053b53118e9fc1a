import {
  type Field as ContractField,
  catalog,
  type Domain,
  describeField,
  domains,
  fieldAt,
  fieldLabelOf,
  groupTitleOf,
  type Kind,
  labelOf,
  type Measure,
  type Resource,
  referencesOf,
  sortsOf,
  type View,
} from '../../src/contract/index.ts'

/** One field of a group, as the console shows it. */
export type Field = {
  name: string
  /** `Supplier confirmed at` */
  label: string
  kind: Kind
  nullable: boolean
  meaning: string
  /** For `ref`: the target group, and the name for `include`. */
  to: string | null
  include: string | null
  /** For `text`: known values. Values of a lifecycle come first, in its order. */
  values: readonly string[]
  lifecycle: readonly string[]
  measure: Measure | null
  /** For `amount`: the field that holds the currency. */
  currencyFrom: string | null
  /** For `object` and `objects`. */
  fields: readonly Field[]
}

export type Filter = {
  name: string
  label: string
  kind: 'identifier' | 'string' | 'integer'
  /** Path of the compared field; null for a filter through another collection. */
  field: string | null
  /** The group whose ids the filter takes, if any. */
  to: string | null
  values: readonly string[]
}

/** A group of records: the parts of its definition that the console uses. */
export type Group = {
  path: string
  /** `Order Items` */
  title: string
  /** `Order item` */
  singular: string
  /** The type name of a record: `OrderItem`. */
  name: string
  domain: Domain
  description: string
  /** The field in a record's URL; null if the identity is composite. */
  idField: string | null
  key: readonly string[]
  titleField: string | null
  parent: string | null
  /** Whether all brands share its records. */
  isShared: boolean
  /** False for the brand's record, which has no list. */
  hasList: boolean
  hasRecord: boolean
  fields: readonly Field[]
  filters: readonly Filter[]
  /** How its amounts are converted to the brand's base currency; null if they are not. */
  base: Resource['base'] | null
  /** What can sort the list, as `sort` names it. */
  sortable: readonly string[]
  /** The sortable date by which people want the list, latest first. */
  newestFirst: string | null
  /** Whether search finds its records. */
  isSearchable: boolean
  views: readonly View[]
}

export { type Domain, domains, labelOf }

const fieldOf = (name: string, field: ContractField, path = name): Field => ({
  name,
  label: fieldLabelOf(name),
  kind: field.kind,
  nullable: field.nullable,
  meaning: describeField(name, field),
  to: field.to ?? null,
  include: field.kind === 'ref' && !path.includes('.') ? name.replace(/Id$/, '') : null,
  values: field.values ?? [],
  lifecycle: field.lifecycle ?? [],
  measure: field.measure ?? null,
  currencyFrom: field.currencyFrom ?? null,
  fields: Object.entries(field.fields ?? {}).map(([inner, each]) =>
    fieldOf(inner, each, `${path}.${inner}`),
  ),
})

const filterOf = (resource: Resource, filter: Resource['filters'][number]): Filter => {
  const { through } = filter
  const fields = through ? catalog.byPath.get(through.collection)?.fields : resource.fields
  const field = fieldAt(fields ?? {}, through?.where ?? filter.field ?? filter.name)
  return {
    name: filter.name,
    label: fieldLabelOf(filter.name),
    kind: filter.kind,
    field: filter.field ?? null,
    to: field?.to ?? null,
    values: field?.values ?? [],
  }
}

const groupOf = (resource: Resource): Group => {
  const [only, ...others] = resource.key
  return {
    path: resource.path,
    title: groupTitleOf(resource),
    singular: labelOf(resource.name),
    name: resource.name,
    domain: resource.domain,
    description: resource.summary,
    idField: others.length === 0 ? (only ?? null) : null,
    key: resource.key,
    titleField: resource.title ?? null,
    parent: resource.parent ?? null,
    isShared: resource.scope === 'shared',
    hasList: resource.endpoints.includes('list'),
    hasRecord: resource.endpoints.includes('get'),
    fields: Object.entries(resource.fields).map(([name, field]) => fieldOf(name, field)),
    filters: resource.filters.map((filter) => filterOf(resource, filter)),
    base: resource.base ?? null,
    sortable: sortsOf(resource),
    newestFirst: resource.newestFirst ?? null,
    isSearchable: resource.searchable.length > 0,
    views: resource.views,
  }
}

/** All groups, in the contract's order. */
export const groups: readonly Group[] = catalog.resources.map(groupOf)

const byPath = new Map(groups.map((group) => [group.path, group]))

export const groupAt = (path: string): Group | undefined => byPath.get(path)

export const groupsOf = (domain: Domain): readonly Group[] =>
  groups.filter((group) => group.domain === domain)

export type Incoming = { group: Group; field: string; filter: string | null }

/** The references to a group, each with the filter that lists its records, or null. */
export const incoming = (path: string): readonly Incoming[] =>
  catalog.resources.flatMap((resource) =>
    referencesOf(resource)
      .filter(({ to }) => to === path)
      .flatMap(({ field }) => {
        const group = byPath.get(resource.path)
        const filter = group?.filters.find((each) => each.field === field)
        return group ? [{ group, field, filter: filter?.name ?? null }] : []
      }),
  )

/** The start of a UUID, which distinguishes the records of a page. */
export const shortId = (id: string): string => (/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id)
