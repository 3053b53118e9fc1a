/** Numbers and joins in the SQLite file of a pull. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import {
  catalog,
  compareDecimals,
  exactTextColumn,
  parseDecimal,
  type Resource,
  relationsOf,
} from '#contract'
import { openCopies } from '../support/copies.ts'
import { recordsAt } from '../support/model.ts'

const copies = await openCopies()
const { newCopy, pull, assertCopy } = copies
after(() => copies.close())

const tableOf = ({ path }: Resource) => path.replaceAll('-', '_')

const amountsOf = ({ fields }: Resource) =>
  Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'amount' ? [name] : []))

const withDatabase = <T>(file: string, use: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const isAbove = (amount: unknown, limit: string) =>
  typeof amount === 'string' && compareDecimals(parseDecimal(amount), parseDecimal(limit)) > 0

const assertNumbers = (file: string) =>
  withDatabase(file, (database) => {
    const orders = recordsAt('orders')
    const limit = '9000'
    const above = orders.filter(({ totalAmount }) => isAbove(totalAmount, limit))
    const asText = orders.filter(({ totalAmount }) => String(totalAmount) > limit)
    assert.notEqual(above.length, asText.length, 'texts and numbers must not compare the same')
    const counted = database
      .prepare(`select count(*) as orders from orders where totalAmount > ${limit}`)
      .get()
    assert.equal(counted?.['orders'], above.length)
    for (const resource of catalog.resources) {
      for (const name of amountsOf(resource)) {
        const rows = database
          .prepare(`select "${name}" as number, "${exactTextColumn(name)}" as digits
                    from ${tableOf(resource)}`)
          .all()
        for (const { number, digits } of rows) {
          assert.equal(number, digits === null ? null : Number(digits), `${resource.path} ${name}`)
        }
      }
    }
  })

describe('the SQLite file of a pull', () => {
  it('compares amounts as numbers and has their digits', async () => {
    const file = await newCopy('.db')
    await assertCopy(file)
    assertNumbers(file)
  })

  it('has an index for every reference, which joins use', async () => {
    const file = await newCopy('.db')
    withDatabase(file, (database) => {
      for (const resource of catalog.resources) {
        for (const { field } of relationsOf(resource)) {
          const plan = database
            .prepare(
              `explain query plan
               select count(*)
               from ${tableOf(resource)}
               where "${field}" = 'x'`,
            )
            .all()
          assert.match(
            String(plan[0]?.['detail']),
            /^SEARCH .* USING /,
            `${resource.path} ${field}`,
          )
        }
      }
    })
  })

  it('of an earlier release, with amounts as texts, gets numbers without reading the lists again', async () => {
    const file = await newCopy('.db')
    withDatabase(file, (database) => {
      for (const { name } of database
        .prepare(`select name from sqlite_schema where type = 'index' and sql is not null`)
        .all()) {
        database.exec(`drop index "${name}"`)
      }
      for (const resource of catalog.resources) {
        for (const name of amountsOf(resource)) {
          database.exec(`alter table ${tableOf(resource)} drop column "${name}"`)
          database.exec(
            `alter table ${tableOf(resource)} rename column "${exactTextColumn(name)}" to "${name}"`,
          )
        }
      }
      database.exec(`update selvedge_pull set "value" = 'columns' where "name" = 'form'`)
    })
    const { collections } = await pull(file)
    assert.deepEqual(
      collections.filter(({ read, changed, removed }) => read + changed + removed > 0),
      [],
    )
    await assertCopy(file)
    assertNumbers(file)
    withDatabase(file, (database) => {
      const left = database
        .prepare(`select name from sqlite_schema where name like 'selvedge_earlier%'`)
        .all()
      assert.deepEqual(left, [])
    })
  })
})
