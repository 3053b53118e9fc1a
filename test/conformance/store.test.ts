import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { openStory } from '#demo'
import { createStore } from '#store'
import { joinCatalog } from '../../src/contract/catalog.ts'
import { bodyOf } from '../../src/store/schema/record-body.ts'
import { tablesOf } from '../../src/store/schema/tables.ts'
import { storeConformance } from './store/store.ts'

const openFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-store-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

storeConformance('SQLite', async () => {
  const { folder, remove } = openFolder()
  // What takes longer than a query may is for the database's own tests.
  const database = openDatabase(`sqlite:${join(folder, 'store.db')}`, { queryMs: 60_000 })
  return {
    database,
    close: async () => {
      await database.close()
      remove()
    },
  }
})

describe('names that the store uses itself', () => {
  const tags = resourceAt(catalog, 'tags')
  const withFilter = (name: string) => {
    const filters = [...tags.filters, { name, kind: 'string', field: 'name' } as const]
    return joinCatalog(
      catalog.resources.map((each) => (each === tags ? { ...tags, filters } : each)),
    )
  }

  for (const name of [
    'owner',
    'body',
    'Body',
    'staged_row',
    'staged_source',
    'staged_line',
    'ID',
  ]) {
    it(`cannot be a filter: ${name}`, () => {
      assert.throws(() => tablesOf(withFilter(name)), {
        name: 'RangeError',
        message: new RegExp(`^tags cannot have a filter or an identity named ${name}: `),
      })
    })
  }

  for (const path of ['changes', 'selvedge-totals']) {
    it(`cannot be a group: ${path}`, () => {
      const grown = joinCatalog([...catalog.resources, { ...tags, path }])
      assert.throws(() => tablesOf(grown), /^RangeError: No group can be called /)
    })
  }
})

describe("a record's text", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).reverse()
    return Object.fromEntries(entries.map(([name, each]) => [name, reversed(each)]))
  }

  it("has the contract's order, inside its objects too", async () => {
    const { records, shared } = await openStory()
    for (const resource of catalog.resources) {
      const [record = {}] = { ...records, ...shared }[resource.path] ?? []
      const free = Object.entries(resource.fields).some(([, { kind }]) => kind === 'any')
      // What is inside a free value is the brand's own, and stays as it came.
      if (free) continue
      assert.equal(
        bodyOf(resource, reversed(record) as never),
        JSON.stringify(record),
        resource.path,
      )
    }
    const partners = resourceAt(catalog, 'partners')
    const [partner = {}] = records['partners'] ?? []
    const relationship = Object.fromEntries(
      Object.entries(partner['relationship'] as object).reverse(),
    )
    assert.equal(bodyOf(partners, { ...partner, relationship }), JSON.stringify(partner))
  })
})

describe('a database that was set back', () => {
  it('does not number another change like the one that was lost', async () => {
    const { folder, remove } = openFolder()
    const [file, copy] = [join(folder, 'now.db'), join(folder, 'before.db')]
    const { records } = await openStory()
    const tags = resourceAt(catalog, 'tags')
    const [tag = {}] = records['tags'] ?? []
    const versionAfter = async (at: string, name: string) => {
      const database = openDatabase(`sqlite:${at}`)
      const store = await createStore(catalog, database)
      await store.write('acme', async (writer) => {
        await writer.stage(tags, [{ ...tag, name }])
        await writer.merge(tags)
      })
      const { version } = await store.state({
        resource: tags,
        brand: 'acme',
        filters: [],
        include: [],
      })
      await database.close()
      return version
    }
    await versionAfter(file, 'first')
    copyFileSync(file, copy)
    assert.notEqual(await versionAfter(copy, 'other'), await versionAfter(file, 'second'))
    remove()
  })
})
