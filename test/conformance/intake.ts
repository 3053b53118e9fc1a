import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { groupScopeOf } from '#contract'
import type { Database, SqlValue } from '#database'
import { type Batch, openSourceReader, openUnits, type Units } from '#intake'
import { sharedOwner } from '#store'
import { until } from '../support/cluster.ts'
import {
  bodyOf,
  type Item,
  openTestQueue,
  packed,
  putItem,
  removeItem,
  storyBrand,
  storyItems,
  type TestQueue,
  type TestQueueOptions,
} from '../support/queue.ts'
import type { OpenedForQueue } from './queue.ts'

const brandRecord = storyItems.find(({ collection }) => collection === 'brand') as Item
const tag = storyItems.find(({ collection }) => collection === 'tags') as Item

/** A tag with one of a few ids. */
const tagNamed = (id: number, name: string) => {
  const record = { ...tag.record, id: `00000000-0000-4000-8000-0000000ee${id}`, name }
  return putItem('tags', record)
}
const brandNamed = (slug: string) =>
  putItem('brand', { ...brandRecord.record, slug } as typeof tag.record & object)

/** Makes an engine fail in a way that says nothing of the record: an error of its own. */
const poison = {
  sqlite: [
    `create trigger "poison" before insert on "tags" when new."name" like 'Poison%'
      begin select json('{'); end`,
  ],
  postgres: [
    `create function poison() returns trigger language plpgsql as $$ begin
      if new."name" like 'Poison%' then raise exception 'broken' using errcode = 'XX000'; end if;
      return new; end $$`,
    `create trigger "poison" before insert on "tags" for each row execute function poison()`,
  ],
}
const cure = {
  sqlite: ['drop trigger "poison"'],
  postgres: ['drop trigger "poison" on "tags"', 'drop function poison()'],
}

/** Makes an engine full: small things can be stored, larger ones cannot. */
const setFull = (records: Database, isFull: boolean): Promise<unknown> =>
  records.write(async (session) => {
    if (records.dialect.name === 'postgres') {
      await session.runAll(
        isFull
          ? [
              `create function full_disk() returns trigger language plpgsql as $$ begin
                raise exception 'no space left' using errcode = '53100'; end $$`,
              `create trigger "full" before insert on "tags" for each row
                when (new."name" like 'Large%') execute function full_disk()`,
            ]
          : ['drop trigger "full" on "tags"', 'drop function full_disk()'],
      )
      return
    }
    const [pages] = await session.all({ text: 'pragma page_count', values: [] })
    const pagesMax = isFull ? Number(pages?.[0]) + 4 : 1_073_741_823
    await session.all({ text: `pragma max_page_count = ${pagesMax}`, values: [] })
  }, 'records')

/** What operators can rely on when units fail, on every engine. */
export const intakeConformance = (name: string, open: () => Promise<OpenedForQueue>): void => {
  describe(`the intake on ${name}`, () => {
    let opened: OpenedForQueue
    let test: TestQueue
    let units: Units
    const change = async (database: Database, statements: readonly string[]) => {
      await database.write((session) => session.runAll(statements), 'records')
    }
    const openOwn = (options: TestQueueOptions = {}) =>
      // As most databases: without a change feed.
      openTestQueue(opened.records, opened.database, { recordsChanges: false, ...options })
    before(async () => {
      opened = await open()
      test = await openOwn()
      for (const brand of [storyBrand, 'other']) {
        assert.equal((await test.commit([brandNamed(brand)], { brand })).state, 'committed')
      }
      await change(opened.records, poison[opened.records.dialect.name])
      units = await openUnits({
        database: opened.database,
        store: test.store,
        holder: 'operator',
        now: Date.now,
        newId: () => crypto.randomUUID(),
      })
    })
    after(async () => {
      await test.queue.close()
      await opened.close()
    })

    const names = async (brand = storyBrand) => {
      const text = 'select t."name" from "tags" as t join "selvedge_owners" as o'
      const [rows = []] = await opened.records.read([
        {
          text: `${text} on o."owner" = t."owner" where o."slug" = ?1 order by 1`,
          values: [brand],
        },
      ])
      return rows.map(([each]) => String(each))
    }
    const loggedChanges = async () => {
      const text = 'select count(*) from "selvedge_changes"'
      const [rows = []] = await opened.records.read([{ text, values: [] }])
      return Number(rows[0]?.[0])
    }
    const rowsOf = async (text: string) =>
      (await opened.database.snapshot((all) => all({ text, values: [] }))).length
    const ended = async ({ brand, id }: Batch, queue = test.queue) =>
      (await queue.finished(brand, id, 300_000)) as Batch
    const reasons = ({ problems }: Batch) => problems.map(({ reason }) => reason)
    /** Sends batches that the runner finds together. */
    const sendTogether = async (bodies: readonly (readonly object[])[]) => {
      const sent: Batch[] = []
      await test.store.write(sharedOwner, async () => {
        for (const items of bodies) sent.push((await test.send(items)).batch)
      })
      return sent
    }

    /** Leaves a batch to the next process, after some that ended in the middle of it. */
    const leave = async (
      items: readonly object[],
      { attempts, dryRun = false }: { readonly attempts: number; readonly dryRun?: boolean },
    ) => {
      const left = await test.store.write(sharedOwner, async () => {
        const { batch } = await test.send(items, { dryRun })
        await test.queue.close()
        return batch
      })
      await opened.database.write((session) =>
        session.run({
          text: `update "selvedge_units" set "state" = 'working', "holder" = 'ended', "working_since" = '9999', "attempts" = ?2 where "id" = ?1 and "finished_at" is null`,
          values: [left.id, attempts],
        }),
      )
      test = await openOwn({ hasEnded: (holder) => holder === 'ended' })
      return left
    }

    it('quarantines a batch that always fails, and stores those around it', async () => {
      const [first, poisoned, next] = (await sendTogether([
        [tagNamed(101, 'Before')],
        [tagNamed(102, 'Poison'), tagNamed(103, 'Early'), tagNamed(104, 'Early too')],
        [tagNamed(103, 'Later'), tagNamed(104, 'Gone')],
      ])) as [Batch, Batch, Batch]
      const began = performance.now()
      const other = await test.commit([tagNamed(101, 'Elsewhere')], { brand: 'other' })
      assert.equal(other.state, 'committed')
      assert.equal((await ended(next)).state, 'committed')
      assert.ok(performance.now() - began < 50_000)
      assert.equal((await ended(first)).state, 'committed')
      const batch = await ended(poisoned)
      assert.deepEqual([batch.state, batch.problemCount, batch.change], ['quarantined', 1, null])
      assert.match(
        reasons(batch)[0] ?? '',
        /^could not be stored in 3 attempts, and waits for an operator \(selvedge intake\): The database/,
      )
      assert.deepEqual(await names(), ['Before', 'Gone', 'Later'])
      const unit = await units.find(poisoned.id)
      assert.deepEqual([unit?.state, unit?.attempts, unit?.kind], ['quarantined', 3, 'batch'])
      const sources = await openSourceReader(test.store.sources, () => opened.database).list()
      assert.deepEqual(
        sources.map((each) => [
          each.brand,
          each.state,
          each.waiting,
          each.quarantined,
          each.failed,
        ]),
        [
          [storyBrand, 'failing', 0, 1, 1],
          ['other', 'idle', 0, 0, 0],
        ].sort(),
      )
      // A later batch was stored, and the source still says what is in quarantine.
      const error = sources.find((each) => each.brand === storyBrand)?.error ?? ''
      const { id } = poisoned
      assert.ok(error.startsWith(`The batch ${id} is in quarantine after 3 attempts: `), error)
      assert.ok(error.endsWith(` See: selvedge intake show ${id}`), error)
    })

    it('lists the last units of a brand that have ended, with what they changed', async () => {
      const reader = openSourceReader(test.store.sources, () => opened.database)
      // A batch is marked shortly after its result is known.
      const endedUnits = async (brand: string, count: number) => {
        await until(async () => (await reader.ended(brand, 10)).length === count)
        return reader.ended(brand, 10)
      }
      const own = await endedUnits(storyBrand, 4)
      const changed = ({ collections }: (typeof own)[number]) =>
        collections.map(({ collection, added }) => `${collection} ${added}`)
      // Those that are stored together end at the same time.
      assert.deepEqual(own.map((unit) => [unit.kind, unit.state, changed(unit).join()]).sort(), [
        ['batch', 'done', 'brand 1'],
        ['batch', 'done', 'tags 1'],
        ['batch', 'done', 'tags 2'],
        ['batch', 'quarantined', ''],
      ])
      const [latest] = await reader.ended(storyBrand, 1)
      assert.equal(latest?.id, own[0]?.id)
      const times = own.map(({ finishedAt }) => finishedAt)
      assert.deepEqual(times, times.toSorted().reverse())
      const others = await endedUnits('other', 2)
      assert.deepEqual(others.map(changed), [['tags 1'], ['brand 1']])
      assert.deepEqual(
        (await reader.list('other')).map(({ brand, quarantined }) => [brand, quarantined]),
        [['other', 0]],
      )

      const refused = await test.commit([removeItem('tags', 'no such id')], { brand: 'other' })
      const checked = await test.commit([tagNamed(105, 'New')], { brand: 'other', dryRun: true })
      assert.deepEqual([refused.state, checked.state], ['refused', 'checked'])
      const [dryRun, bad] = await endedUnits('other', 4)
      assert.deepEqual([dryRun?.isDryRun, bad?.isDryRun], [true, false])
      assert.deepEqual([bad?.state, bad?.problemCount, bad?.problems.length], ['refused', 1, 1])
      // Results can have megabytes.
      await change(opened.database, [
        `update "selvedge_units" set "result" = 'is not read' where "brand" = 'other'`,
      ])
      assert.deepEqual(await reader.ended('other', 2), [dryRun, bad])
    })

    it('shows a limited key no refused unit, which does not name the groups of bad items', async () => {
      const reader = openSourceReader(test.store.sources, () => opened.database)
      const before = await reader.ended('other', 10)
      const scope = groupScopeOf({ onlyGroups: ['tags'], withoutGroups: null })
      const within = await reader.ended('other', 10, scope)
      assert.deepEqual(
        within,
        before.filter(({ state }) => state !== 'refused'),
      )
      // The line of the payment cannot be read, so that only the tag has a group.
      const body = Buffer.concat([
        bodyOf([tagNamed(105, 'New')]),
        Buffer.from('{"collection":"payments","id":"4711","operation":"put","record":{"amount":\n'),
      ])
      const { state } = await test.commit([], { brand: 'other', body })
      assert.equal(state, 'refused')
      await until(async () => (await reader.ended('other', 10)).length > before.length)
      const [latest] = await reader.ended('other', 1)
      assert.deepEqual(
        latest?.collections.map(({ collection }) => collection),
        ['tags'],
      )
      assert.match(JSON.stringify(latest?.problems), /4711/)
      assert.deepEqual(await reader.ended('other', 10, scope), within)
    })

    it('leaves out what was written later when the batch is retried', async () => {
      const [unit] = await units.list({ state: 'quarantined', limit: 10 })
      assert.ok(unit)
      await test.commit([removeItem('tags', tagNamed(104, '').id)])
      assert.deepEqual(await names(), ['Before', 'Later'])
      await change(opened.records, cure[opened.records.dialect.name])
      assert.equal(await units.retry(unit.id), true)
      assert.equal(await units.retry(unit.id), false)
      const queued = (await test.queue.find(storyBrand, unit.id)) as Batch
      const batch = await ended(queued)
      assert.equal(batch.state, 'committed')
      assert.deepEqual(
        batch.problems.map(({ line, severity, reason }) => `${line} ${severity} ${reason}`),
        [2, 3].map(
          (line) =>
            `${line} warning is superseded: the record of tags has changed since, and stays as it is`,
        ),
      )
      assert.deepEqual(await names(), ['Before', 'Later', 'Poison'])
      // Nothing is logged once no unit can be retried.
      await until(async () => (await loggedChanges()) === 0)
    })

    it('leaves out what was confirmed later when the batch is retried', async () => {
      const confirmed = tagNamed(110, 'Kept')
      await test.commit([confirmed])
      const items = [tagNamed(111, 'Removed'), tagNamed(110, 'Old'), tagNamed(112, 'New')]
      const batch = await leave(items, { attempts: 3 })
      assert.equal((await ended(batch)).state, 'quarantined')
      // Both change nothing.
      await test.commit([removeItem('tags', tagNamed(111, '').id), confirmed])
      const before = await names()
      assert.equal(await units.retry(batch.id), true)
      const retried = await ended((await test.queue.find(storyBrand, batch.id)) as Batch)
      assert.deepEqual(
        retried.problems.map(({ line, severity }) => `${line} ${severity}`),
        ['1 warning', '2 warning'],
      )
      assert.deepEqual(await names(), [...before, 'New'].sort())
      await until(async () => (await loggedChanges()) === 0)
    })

    it('discards a batch, with its body', async () => {
      await change(opened.records, poison[opened.records.dialect.name])
      const { batch } = await test.send([tagNamed(105, 'Poison 105')])
      assert.equal((await ended(batch)).state, 'quarantined')
      const bodies = `select 1 from "selvedge_unit_bodies"`
      assert.equal(await rowsOf(bodies), 1)
      const source = async () => {
        const all = await openSourceReader(test.store.sources, () => opened.database).list(
          storyBrand,
        )
        return all.map(({ state, error }) => `${state} ${error}`).join()
      }
      await until(async () => (await source()).startsWith(`failing The batch ${batch.id} is`))
      assert.equal(await units.discard(batch.id), true)
      assert.equal(await source(), 'idle null')
      const discarded = await ended(batch)
      assert.equal(discarded.state, 'refused')
      assert.deepEqual(reasons(discarded), ['could not be stored: An operator discarded it.'])
      assert.equal(await rowsOf(bodies), 0)
      assert.equal(await units.discard(batch.id), false)
      await change(opened.records, cure[opened.records.dialect.name])
    })

    it('refuses the oldest in quarantine beyond a limit', async () => {
      await change(opened.records, poison[opened.records.dialect.name])
      const poisoned: Batch[] = []
      for (const id of [106, 107]) {
        const { batch } = await test.send([tagNamed(id, `Poison ${id}`)])
        assert.equal((await ended(batch)).state, 'quarantined')
        poisoned.push(batch)
      }
      const limited = await openOwn({ limits: { quarantine: { batches: 1, bytes: 1_000_000 } } })
      const states = async () =>
        Promise.all(poisoned.map(async ({ id }) => (await units.find(id))?.state))
      await until(async () => (await states()).join() === 'refused,quarantined')
      await limited.queue.close()
      await units.discard(poisoned[1]?.id ?? '')
      await change(opened.records, cure[opened.records.dialect.name])
    })

    const large = (from: number) =>
      Array.from({ length: 300 }, (_, at) =>
        tagNamed(from + at, `Large ${from + at} ${'x'.repeat(200)}`),
      )
    const sourceOf = async (brand: string) => {
      const [source] = await openSourceReader(test.store.sources, () => opened.database).list(brand)
      return [source?.state, source?.error] as const
    }
    /** Sends a batch, and waits until it was tried so often. */
    const sendTried = async (items: readonly object[], times: number) => {
      const before = test.failures.length
      const { batch } = await test.send(items)
      await until(() => test.failures.length >= before + times)
      await until(async () => (await units.find(batch.id))?.state !== 'working')
      assert.equal((await units.find(batch.id))?.state, 'waiting')
      return batch
    }

    it('keeps a batch waiting that a full engine has no room for, and says why', async () => {
      await setFull(opened.records, true)
      const batch = await sendTried(large(200), 3)
      const { attempts, lastError } = (await units.find(batch.id)) ?? {}
      assert.equal(attempts, 0)
      assert.match(lastError ?? '', /^The database failed: .*(full|no space left)/)
      assert.deepEqual(await sourceOf(storyBrand), ['failing', lastError])
      await setFull(opened.records, false)
      assert.equal((await ended(batch)).state, 'committed')
      assert.deepEqual(await sourceOf(storyBrand), ['idle', null])
    })

    it('ends the error of a source with the waiting batch that is discarded', async () => {
      await setFull(opened.records, true)
      const batch = await sendTried(large(500), 1)
      assert.equal((await sourceOf(storyBrand))[0], 'failing')
      assert.equal(await units.discard(batch.id), true)
      assert.deepEqual(await sourceOf(storyBrand), ['idle', null])
      await setFull(opened.records, false)
    })

    it('counts no attempt while a batch waits for the lock of the records', async () => {
      const attempts = async (id: string) => (await units.find(id))?.attempts
      const sent = await test.store.write(sharedOwner, async () => {
        const { batch } = await test.send([tag], { dryRun: true })
        await until(async () => (await units.find(batch.id))?.state === 'working')
        await until(async () => (await attempts(batch.id)) === 0)
        return batch
      })
      assert.equal((await ended(sent)).state, 'checked')
      assert.equal(await attempts(sent.id), 1)
    })

    it('does not create a brand again with a batch that arrives during its removal', async () => {
      const brand = 'removed'
      await test.commit([brandNamed(brand)], { brand })
      const sent: Batch[] = []
      await units.removeBrand(brand, (beforeCommit) =>
        test.store.removeBrand(brand, undefined, async () => {
          sent.push((await test.send([brandNamed(brand)], { brand })).batch)
          await beforeCommit()
        }),
      )
      assert.equal(await test.queue.find(brand, sent[0]?.id ?? ''), null)
      assert.equal((await test.commit([tag], { brand })).state, 'refused')
      assert.equal(await test.store.has(brand), false)
    })

    it('keeps a batch that arrives during a removal of its brand that fails', async () => {
      const brand = 'kept'
      await test.commit([brandNamed(brand)], { brand })
      const sent: Batch[] = []
      const removal = units.removeBrand(brand, (beforeCommit) =>
        test.store.removeBrand(brand, undefined, async () => {
          sent.push((await test.send([tagNamed(950, 'Kept')], { brand })).batch)
          await beforeCommit()
          throw new RangeError('not committed')
        }),
      )
      await assert.rejects(removal, /not committed/)
      assert.equal((await ended(sent[0] as Batch)).state, 'committed')
      assert.deepEqual(await names(brand), ['Kept'])
    })

    it('quarantines a batch whose body is damaged', async () => {
      const sent = await test.store.write(sharedOwner, async () => {
        const { batch } = await test.send([tag], { dryRun: true })
        await opened.database.write((session) =>
          session.run({
            text: 'update "selvedge_unit_bodies" set "body" = ?1',
            values: [Buffer.from('x')],
          }),
        )
        return batch
      })
      const batch = await ended(sent)
      assert.equal(batch.state, 'quarantined')
      await units.discard(batch.id)
    })

    for (const [attempts, expected] of [
      [2, 'checked'],
      [3, 'quarantined'],
    ] as const) {
      it(`tries a batch again after ${attempts} processes ended in the middle: ${expected}`, async () => {
        const batch = await ended(await leave([tag], { dryRun: true, attempts }))
        assert.equal(batch.state, expected)
        if (expected === 'checked') return
        assert.match(reasons(batch)[0] ?? '', /: The process ended while it worked on the unit\.$/)
      })
    }

    it('converts the queue of an earlier version', async () => {
      const other = await open()
      const { text, integer, blob } = other.database.dialect
      const { bytes, length, hash } = (
        await packed({
          ...{ brand: 'other', keyId: 'k1', idempotencyKey: 'once', body: bodyOf([tag]) },
          ...{ collections: null, map: null, form: 'items' as const, dryRun: true },
        })
      ).body
      const options = JSON.stringify({ map: null, form: 'items', dryRun: true, park: false })
      const result = JSON.stringify({
        ...{ state: 'refused', finishedAt: new Date().toISOString(), items: 1, collections: [] },
        ...{ problems: [], problemCount: 0 },
      })
      await other.database.write(async (session) => {
        await session.runAll([
          `create table "selvedge_queue" ("number" ${integer} primary key, "id" ${text} not null unique,
            "brand" ${text} not null, "key_id" ${text} not null, "idempotency_key" ${text},
            "hash" ${text} not null, "options" text not null, "received_at" ${text} not null,
            "finished_at" ${text}, "bytes" ${integer} not null, "length" ${integer} not null,
            "result" text, "body" ${blob}, unique ("key_id", "idempotency_key"))`,
          `create table "selvedge_queue_attempts" ("id" ${text} not null, "host" ${text} not null,
            "attempts" ${integer} not null, primary key ("id", "host"))`,
          `insert into "selvedge_queue_attempts" values ('waiting', 'h', 1)`,
        ])
        const insert = (values: readonly SqlValue[]) =>
          session.run({
            text: `insert into "selvedge_queue" values (${values.map((_, at) => `?${at + 1}`).join(', ')})`,
            values,
          })
        const at = new Date().toISOString()
        await insert([7, 'finished', 'other', 'k1', 'a', 'h', options, at, at, 0, 9, result, null])
        const rest = [options, at, null, bytes.length, length, null, bytes] as const
        await insert([8, 'waiting', 'other', 'k1', 'once', hash, ...rest])
      })
      const converted = await openTestQueue(other.records, other.database)
      const finished = await converted.queue.find('other', 'finished')
      assert.equal(finished?.state, 'refused')
      const again = await converted.send([tag], {
        ...{ brand: 'other', idempotencyKey: 'once', dryRun: true },
      })
      assert.deepEqual([again.repeated, again.batch.id], [true, 'waiting'])
      const waiting = await ended(again.batch, converted.queue)
      // The brand does not exist, which only an attempt finds out.
      assert.deepEqual([waiting.state, waiting.items], ['refused', 1])
      const next = await converted.commit([tag], { brand: 'other', dryRun: true })
      assert.equal(next.state, 'refused')
      const tables = await other.database.tables()
      assert.deepEqual(
        [...tables.keys()].filter((each) => each.startsWith('selvedge_queue')),
        [],
      )
      await converted.queue.close()
      await other.close()
    })

    it('adds a column once that an earlier version lacks, if two processes start', async () => {
      const other = await open()
      const { database } = other
      const start = (of: Database) => openTestQueue(other.records, of).then(({ queue }) => queue)
      await (await start(database)).close()
      await database.write((session) =>
        session.runAll(['alter table "selvedge_units" drop column "summary"']),
      )
      const before = [await database.tables()]
      await (await start(database)).close()
      // The second process has looked before the first one had the lock.
      const late = { ...database, tables: async () => before.pop() ?? database.tables() }
      await (await start(late)).close()
      const columns = (await database.tables()).get('selvedge_units') ?? []
      assert.equal(columns.filter((name) => name === 'summary').length, 1)
      assert.deepEqual(before, [])
      await other.close()
    })

    it('leaves a batch to the process that works on it', async () => {
      const { batch } = await test.send([tag], { dryRun: true })
      await ended(batch)
      await until(async () => (await units.find(batch.id))?.state === 'done')
      await opened.database.write((session) =>
        session.run({
          text: `update "selvedge_units" set "state" = 'working', "finished_at" = null, "holder" = 'another', "working_since" = ?2 where "id" = ?1`,
          values: [batch.id, new Date(Date.now() + 60_000).toISOString()],
        }),
      )
      const later = await test.send([tag], { dryRun: true })
      const waiting = (await test.queue.finished(storyBrand, later.batch.id, 1_500)) as Batch
      assert.equal(waiting.state, 'queued')
      await opened.database.write((session) =>
        session.run({
          text: `update "selvedge_units" set "working_since" = '2026-01-01' where "id" = ?1`,
          values: [batch.id],
        }),
      )
      assert.equal((await ended(later.batch)).state, 'checked')
    })
  })
}
