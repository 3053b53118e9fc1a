/**
 * An installation with something on every operator page: batches that came over HTTP, one of them in
 * quarantine, files of a watched folder, one of them held, and rows in quarantine.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTestAdmin, type TestAdmin } from './admin-service.ts'
import { until } from './cluster.ts'
import { ndjson, openSandbox, type Ran, type Sandbox } from './command.ts'
import { tag, vendorsMapping } from './import-records.ts'
import { openTestIngest, putItem, recordOf, storyBrand, type TestIngest } from './ingest-service.ts'
import { openTestService, type TestService } from './service.ts'

export interface Operated {
  readonly admin: TestAdmin
  readonly service: TestService
  readonly ingest: TestIngest
  readonly place: Sandbox
  /** Takes the files of the watched folder of `halden`. */
  watchTags(): Promise<Ran>
  /** The id of a batch in quarantine. */
  readonly quarantined: string
  /** Sends another batch that the database fails for, and returns its id. */
  sendPoison(): Promise<string>
  /** Lets the database take what it has refused, or refuse it. */
  cure(): Promise<void>
  poison(): Promise<void>
  close(): Promise<void>
}

const vendors = 'NO,NAME,STATUS\n1,Wool,A\n2,Silk,X\n3,Linen,A\n4,Hemp,Z\n'

export const openOperated = async (): Promise<Operated> => {
  const ingest = await openTestIngest({ CHANGE_FEED: 'on' })
  const service = await openTestService({ CHANGE_FEED: 'on' }, { folder: ingest.folder })
  const place = openSandbox(ingest.databaseUrl)
  const run = async (...args: string[]): Promise<Ran> => {
    const ran = await place.run(args)
    assert.equal(ran.code, 0, ran.stderr)
    return ran
  }
  const sql = (text: string) =>
    ingest.records.database.write((session) => session.run({ text, values: [] }))
  let sent = 0
  const send = async (name: string): Promise<string> => {
    sent += 1
    const id = `00000000-0000-4000-8000-00000000ab${String(sent).padStart(2, '0')}`
    const item = putItem('tags', { ...recordOf('tags'), id, name })
    const { body } = await ingest.send([item])
    await until(async () => {
      const { stdout } = await run('intake', 'show', body.id, '--json')
      return ['done', 'quarantined'].includes(JSON.parse(stdout).state)
    })
    return body.id
  }
  const sendPoison = () => send(`Poison ${sent}`)
  const poison = async () => {
    await sql(`create trigger "poison" before insert on "tags" when new."name" like 'Poison%'
      begin select json('{'); end`)
  }
  // An order that contradicts its items, so that a check finds something.
  await service.write(storyBrand, {
    orders: [{ ...recordOf('orders'), totalQuantity: 641 }] as never,
  })
  await run('brands', 'add', 'halden', '--name', 'Halden')
  mkdirSync(join(place.folder, 'tags'))
  mkdirSync(join(place.folder, 'vendors'))
  const watch = (folder: string, ...options: string[]) =>
    place.run(['watch', folder, '--once', '--settle', '0s', '--no-check', ...options])
  const watchTags = () => watch('tags', '--brand', 'halden', '--collection', 'tags', '--replace')
  const dropTags = (name: string, names: readonly string[]) =>
    writeFileSync(
      join(place.folder, 'tags', name),
      ndjson(names.map((each, at) => tag(at + 1, { name: each }))),
    )
  dropTags('tags-1.ndjson', ['one', 'two', 'three', 'four', 'five'])
  await watchTags()
  dropTags('tags-2.ndjson', ['one', 'renamed'])
  await watchTags()
  place.put({
    'shop.map.yaml': vendorsMapping('halden'),
    'vendors/vendors.csv': vendors,
    'vendors/notes.csv': 'A,B\n1,2\n',
  })
  await watch('vendors', '--map', 'shop.map.yaml')

  await send('Good')
  await poison()
  const quarantined = await sendPoison()
  // Ends with 1: there are findings.
  await place.run(['check', '--brand', storyBrand])

  const admin = await openTestAdmin(
    {
      DATABASE_URL: ingest.databaseUrl,
      IMAGES_URL: `file:${join(ingest.folder, 'images')}`,
      CHANGE_FEED: 'on',
    },
    { apiUrl: service.url },
  )
  return {
    ...{ admin, service, ingest, place, watchTags, quarantined, sendPoison, poison },
    cure: async () => {
      await sql('drop trigger "poison"')
    },
    close: async () => {
      await admin.close()
      await place.close()
      await service.close()
      await ingest.close()
    },
  }
}
