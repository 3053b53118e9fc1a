/** `selvedge serve --demo`, the first thing that a newcomer runs. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { rules } from '#check'
import { addDays, catalog, resourceAt } from '#contract'
import { type DemoRecord, dayOfDemo, openStory, season } from '#demo'
import { openRecords } from '#server'
import { until } from '../support/cluster.ts'
import { openSandbox } from '../support/command.ts'
import { inOrder, recordsAt } from '../support/model.ts'

const demos = new Map<string, ReturnType<typeof generate>>()
const generate = (asOf: string) => [...season({ brand: 'aldermoor', orders: 200, seed: 1, asOf })]

/** The items of the demo on a day, which take long to generate. */
const itemsOf = (asOf: string) => {
  const items = demos.get(asOf) ?? generate(asOf)
  demos.set(asOf, items)
  return items
}

/** The records of the demo on a day, by collection. */
const demoOf = (asOf: string) => (path: string) =>
  itemsOf(asOf).flatMap((item) => (item.path === path ? [item.record] : []))

describe('serve --demo', () => {
  const place = openSandbox()
  after(() => place.close())
  // The database and the images are where they are when no variable is set.
  const environment = { DATABASE_URL: undefined, PORT: '0' }

  /** Starts the demo, and waits for its welcome. */
  const open = async (more: NodeJS.ProcessEnv = {}, sandbox = place) => {
    const { child } = sandbox.start(['serve', '--demo'], { ...environment, ...more })
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    let out = ''
    let err = ''
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        out += chunk
        if (out.includes('Ctrl+C stops.')) resolve()
      })
      void exited.then((code) => reject(new RangeError(`It ended with ${code}: ${err}`)))
    })
    return { child, exited, out, errors: () => err }
  }
  const matchIn = (out: string, pattern: RegExp): string => {
    const [, first] = pattern.exec(out) ?? []
    assert.ok(first, `${pattern} is not in ${out}`)
    return first
  }
  /** Runs the curl line exactly as it was printed. */
  const curl = async (out: string) => {
    const command = matchIn(out, /^ {2}(curl [^\n]+ \\\n[^\n]+)$/m)
    const [, name = '', value = ''] = /-H "([\w-]+): ([^"]+)"/.exec(command) ?? []
    const [, url = ''] = /"(http:[^"]+)"/.exec(command) ?? []
    const response = await fetch(url, { headers: { [name]: value } })
    return { status: response.status, body: (await response.json()) as { items: object[] } }
  }

  it('prints an address, a key and a line that works, the same again after a restart', async () => {
    const days = [dayOfDemo(Date.now())]
    const first = await open()
    days.push(dayOfDemo(Date.now()))
    const keys: string[] = []
    const counts: string[] = []
    let own = 0
    const check = async ({ out }: { out: string }) => {
      counts.push(
        matchIn(
          out,
          /^Selvedge [\d.]+ {2}ready in [\d.]+ s {3}\(Node 26\.[\d.]+, SQLite, \d+ groups, ([\d,]+) records\)$/m,
        ),
      )
      assert.match(out, new RegExp(` ${catalog.resources.length} groups,`))
      assert.doesNotMatch(out, /old/)
      const api = matchIn(out, /^ {2}API +(\S+)$/m)
      keys.push(matchIn(out, /^ {2}Demo key +(slv_\w+)$/m))
      const { status, body } = await curl(out)
      assert.equal(status, 200)
      const headers = { authorization: `Bearer ${keys.at(-1)}` }
      const brand = (await (await fetch(api, { headers })).json()) as DemoRecord
      // A start around the hour at which the demo takes the next day may have either.
      const asOf = days.find((day) => demoOf(day)('brand')[0]?.['createdAt'] === brand['createdAt'])
      assert.ok(asOf, `${brand['createdAt']} is not of ${days}`)
      assert.deepEqual([brand], demoOf(asOf)('brand'))
      own = itemsOf(asOf).length
      assert.deepEqual(body.items, inOrder(['id'], demoOf(asOf)('orders')).slice(0, 2))
      const document = await fetch(matchIn(out, /^ {2}OpenAPI +(\S+)$/m))
      assert.equal(document.status, 200)
      await document.text()
      // The pictures came with the story.
      const [image] = recordsAt('images')
      const link = await fetch(`${api}/images/${image?.['id']}/content`, { headers })
      const { url } = (await link.json()) as { url: string }
      const picture = await fetch(url)
      assert.equal(picture.status, 200)
      assert.ok((await picture.arrayBuffer()).byteLength > 100)
    }
    await check(first)
    first.child.kill('SIGTERM')
    assert.equal(await first.exited, 0)
    const second = await open()
    await check(second)
    assert.equal(keys[0], keys[1])
    assert.equal(counts[0], counts[1])
    const DATABASE_URL = `sqlite:${join(place.folder, 'data/selvedge.db')}`
    // What another process writes is checked in the background.
    const { store, close } = await openRecords({ databaseUrl: DATABASE_URL })
    const resource = resourceAt(catalog, 'brand')
    await store.write('other', async (writer) => {
      await writer.stage(resource, [{ ...recordsAt('brand')[0], slug: 'other' }])
      await writer.merge(resource)
    })
    await until(async () => (await store.quality.read('other')).findings.length === rules.length)
    await store.removeBrand('other')
    await close()
    const [listed] = JSON.parse(
      (await place.run(['brands', 'list', '--json'], '', { DATABASE_URL })).stdout,
    )
    assert.equal(listed.records.toLocaleString('en'), counts[0])
    const shared = Object.values((await openStory()).shared).flat().length
    assert.deepEqual([listed.own, listed.records], [own, own + shared])
    second.child.kill('SIGINT')
    assert.equal(await second.exited, 0)
  })

  it('leaves old records as they are, says how old they are, and how to renew them', async () => {
    const old = openSandbox()
    const asOf = addDays(dayOfDemo(Date.now()), -40)
    const DATABASE_URL = `sqlite:${join(old.folder, 'data/selvedge.db')}`
    const run = (...args: readonly string[]) => old.run(args, '', { DATABASE_URL })
    const before = await run('demo', '--orders', '1', '--as-of', asOf, '--json')
    const { records } = JSON.parse(before.stdout)
    const first = await open({}, old)
    assert.match(first.out, /^ {2}The demo records are 4[01] days old\. To create them again/m)
    const command = matchIn(first.out, /^ {4}npx selvedge (demo --brand aldermoor)$/m)
    first.child.kill('SIGTERM')
    await first.exited
    const [listed] = JSON.parse((await run('brands', 'list', '--json')).stdout)
    assert.equal(listed.own, records)
    assert.equal((await run(...command.split(' '))).code, 0)
    const second = await open({}, old)
    assert.doesNotMatch(second.out, /days old/)
    second.child.kill('SIGTERM')
    await second.exited
    old.close()
  })

  it('gives another key after the first one was revoked, and loads the story once', async () => {
    const DATABASE_URL = `sqlite:${join(place.folder, 'data/selvedge.db')}`
    const run = (...args: readonly string[]) => place.run(args, '', { DATABASE_URL })
    const listed = await run('keys', 'list', '--json')
    const [{ id, name }] = JSON.parse(listed.stdout)
    assert.equal(name, 'Demo')
    await run('keys', 'revoke', id)
    const { child, exited, out } = await open()
    assert.equal((await curl(out)).status, 200)
    child.kill('SIGTERM')
    assert.equal(await exited, 0)
    const brands = await run('brands', 'list', '--json')
    assert.equal(JSON.parse(brands.stdout).length, 1)
  })

  it('passes over a port that is taken, and says so', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as AddressInfo
    const { child, exited, out, errors } = await open({ PORT: String(port) })
    assert.match(errors(), new RegExp(`^Port ${port} is in use; trying `, 'm'))
    assert.equal((await curl(out)).status, 200)
    child.kill('SIGTERM')
    assert.equal(await exited, 0)
    holder.close()
  })
})
