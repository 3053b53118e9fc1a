/** The definitions of documents name what the contract has. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  catalog,
  type DocumentDefinition,
  type DocumentPath,
  documentCollections,
  documents,
  type FigureSum,
  fieldAt,
  relationsOf,
  resourceAt,
} from '#contract'

const fieldOf = (group: string, field: string) => fieldAt(resourceAt(catalog, group).fields, field)

/** Follows a path and returns the group at its end. */
const endOf = (group: string, path: DocumentPath): string => {
  let at = group
  for (const step of path) {
    const target = resourceAt(catalog, step.to)
    if ('of' in step) {
      assert.equal(fieldOf(at, step.of)?.to, step.to, `${at}.${step.of}`)
    } else {
      assert.equal(fieldOf(step.to, step.by)?.to, at, `${step.to}.${step.by}`)
      const isIndexed =
        target.key[0] === step.by || target.filters.some(({ field }) => field === step.by)
      assert.ok(isIndexed, `${step.to} has no index on ${step.by}`)
    }
    at = step.to
  }
  return at
}

const figuresIn = ({ lines, sections, group }: DocumentDefinition) => [
  ...(lines
    ? Object.values(lines.figures).map((figure) => ({ from: endOf(group, lines.path), figure }))
    : []),
  ...Object.values(sections).flatMap((section) =>
    Object.values(section.figures ?? {}).map((figure) => ({ from: section.group, figure })),
  ),
]

const checkFigure = (from: string, { path, field, less }: FigureSum): void => {
  assert.match(fieldOf(endOf(from, path), field)?.kind ?? '', /^(integer|amount)$/, field)
  if (less) checkFigure(from, less)
}

describe('the definition of each document', () => {
  for (const [group, definition] of documents) {
    it(`of ${group} follows references that exist and have an index`, () => {
      for (const [name, { group: of, path, sort, include = [], view }] of Object.entries(
        definition.sections,
      )) {
        assert.equal(endOf(group, path), of, name)
        if (sort) assert.ok(fieldOf(of, sort.replace('-', '')), `${name} ${sort}`)
        const relations = relationsOf(resourceAt(catalog, of)).map((each) => each.name)
        for (const each of include) assert.ok(relations.includes(each), `${name} ${each}`)
        const views = resourceAt(catalog, of).views.map((each) => each.name)
        assert.ok(view === undefined || views.includes(view), name)
      }
      for (const { from, figure } of figuresIn(definition)) checkFigure(from, figure)
    })

    it(`of ${group} has stages and deadlines of fields that exist`, () => {
      const statuses = fieldOf(group, 'status')?.values ?? []
      for (const { pieces, amounts, planned, actual, doneWhen } of Object.values(
        definition.progress,
      )) {
        assert.ok(pieces === undefined || pieces in (definition.lines?.figures ?? {}))
        if (amounts) {
          const end = endOf(group, amounts.path)
          assert.equal(fieldOf(end, amounts.field)?.kind, 'amount')
          const { currency } = amounts
          const code =
            typeof currency === 'string' ? fieldOf(end, currency) : fieldOf(group, currency.record)
          assert.equal(code?.code, 'currency')
        }
        for (const source of [planned, actual]) {
          if (!source) continue
          const fields = 'path' in source ? [source.field] : source.fields
          const end = 'path' in source ? endOf(group, source.path) : group
          for (const each of fields)
            assert.match(fieldOf(end, each)?.kind ?? '', /^(date|timestamp)$/)
        }
        for (const status of doneWhen) assert.ok(statuses.includes(status), status)
      }
      for (const { planned, openWhen, voidWhen, view } of Object.values(definition.deadlines)) {
        for (const each of planned) assert.match(fieldOf(group, each)?.kind ?? '', /date|timestamp/)
        for (const status of [...openWhen, ...voidWhen]) assert.ok(statuses.includes(status))
        const views = resourceAt(catalog, group).views.map((each) => each.name)
        assert.ok(view === undefined || views.includes(view))
      }
    })

    it(`of ${group} depends on every collection that it shows`, () => {
      const collections = documentCollections(catalog, definition)
      assert.equal(collections[0], group)
      for (const section of Object.values(definition.sections)) {
        assert.ok(collections.includes(section.group))
      }
      for (const path of collections) assert.ok(catalog.byPath.has(path), path)
    })
  }
})
