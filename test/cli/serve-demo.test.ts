/** `selvedge serve --demo`, the first thing that a newcomer runs. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSandbox } from '../support/command.ts'
import { recordsAt } from '../support/model.ts'

describe('serve --demo', () => {
  const place = openSandbox()
  after(() => place.close())
  // The database and the images are where they are when no variable is set.
  const environment = { DATABASE_URL: undefined, PORT: '0' }

  /** Starts the demo, and waits for its welcome. */
  const open = async (more: NodeJS.ProcessEnv = {}) => {
    const { child } = place.start(['serve', '--demo'], { ...environment, ...more })
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
    const first = await open()
    const keys: string[] = []
    const check = async ({ out }: { out: string }) => {
      assert.match(
        out,
        /^Selvedge [\d.]+ {2}ready in [\d.]+ s {3}\(Node 26\.[\d.]+, SQLite, 93 groups, 846 records\)$/m,
      )
      const api = matchIn(out, /^ {2}API +(\S+)$/m)
      keys.push(matchIn(out, /^ {2}Demo key +(slv_\w+)$/m))
      const { status, body } = await curl(out)
      assert.equal(status, 200)
      assert.deepEqual(body.items, recordsAt('orders').slice(0, 2))
      const headers = { authorization: `Bearer ${keys.at(-1)}` }
      assert.deepEqual(await (await fetch(api, { headers })).json(), recordsAt('brand')[0])
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
    second.child.kill('SIGINT')
    assert.equal(await second.exited, 0)
  })

  it('gives another key after the first one was revoked, and loads the story once', async () => {
    const DATABASE_URL = `sqlite:${join(place.folder, 'data/selvedge.db')}`
    const run = (...args: readonly string[]) => place.start(args, { DATABASE_URL }).ended
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
