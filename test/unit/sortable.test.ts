import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, date, id, type Resource, text, timestamp } from '#contract'
import { resource } from '../../src/contract/resource.ts'

const lists = catalog.resources.filter(({ endpoints }) => endpoints.includes('list'))

/** Names that repeat: no search for them would find the one that was meant. */
const repeated = ['bom-components.placement', 'payment-milestones.name']

const kindsOf = ({ fields }: Resource, names: readonly string[]) =>
  names.map((name) => fields[name]?.kind)

describe('sortable and searchable fields', () => {
  it('have kinds that can be sorted, each field once', () => {
    for (const each of lists) {
      assert.equal(new Set(each.sortable).size, each.sortable.length, each.path)
      const kinds = ['text', 'integer', 'amount', 'date', 'timestamp']
      for (const kind of kindsOf(each, each.sortable)) assert.ok(kinds.includes(kind ?? ''))
    }
  })

  it('order a list newest first by a date or a time that can be sorted', () => {
    const dated = lists.filter(({ newestFirst }) => newestFirst !== undefined)
    assert.ok(dated.length >= 20)
    for (const each of dated) {
      const { path, newestFirst = '', sortable, fields } = each
      assert.ok(sortable.includes(newestFirst), path)
      assert.match(fields[newestFirst]?.kind ?? '', /^(date|timestamp)$/, path)
    }
  })

  it('are none where there is no list', () => {
    const others = catalog.resources.filter((each) => !lists.includes(each))
    assert.deepEqual(
      others.map(({ path, sortable, searchable }) => [path, sortable, searchable]),
      [['brand', [], []]],
    )
  })

  it('include the time of the last change, although no definition names it', () => {
    for (const each of lists) {
      const changed = ['updatedAt', 'createdAt'].find((name) => name in each.fields)
      if (changed) assert.ok(each.sortable.includes(changed), each.path)
    }
    const define = (fields: Resource['fields'], sortable: readonly never[] = []) =>
      resource({
        group: 'Things',
        path: 'things',
        name: 'Thing',
        domain: 'orders',
        scope: 'brand',
        origin: 'designed',
        summary: 'Things.',
        fields,
        sortable,
      }).sortable
    const created = { id: id(), dueDate: date(), createdAt: timestamp() }
    assert.deepEqual(define(created, ['dueDate'] as never), ['dueDate', 'createdAt'])
    assert.deepEqual(define({ ...created, updatedAt: timestamp() }), ['updatedAt'])
    assert.deepEqual(define(created, ['createdAt'] as never), ['createdAt'])
    assert.deepEqual(define({ id: id() }), [])
  })

  it('are searched for in texts that identify something, not in remarks and statuses', () => {
    for (const each of lists) {
      assert.equal(new Set(each.searchable).size, each.searchable.length, each.path)
      for (const name of each.searchable) {
        const field = each.fields[name]
        assert.equal(field?.kind, 'text', `${each.path}.${name}`)
        assert.ok(!repeated.includes(`${each.path}.${name}`), `${each.path}.${name}`)
        assert.equal(field?.values, undefined, `${each.path}.${name}`)
        const isCode = ['country', 'currency', 'incoterm', 'hts', 'hex'].includes(field?.code ?? '')
        assert.ok(!isCode || each.key.includes(name), `${each.path}.${name} repeats`)
        assert.doesNotMatch(name, /memo|description|comment|notes?$|body|reason|summary/i)
      }
    }
  })

  it('are misspelled in no definition that compiles', () => {
    resource({
      group: 'Things',
      path: 'things',
      name: 'Thing',
      domain: 'orders',
      scope: 'brand',
      origin: 'designed',
      summary: 'Things.',
      fields: { id: id(), name: text(), dueDate: date() },
      // @ts-expect-error An identity has no order that people use.
      sortable: ['id'],
      // @ts-expect-error Only texts are searched for.
      searchable: ['dueDate'],
    })
  })
})
