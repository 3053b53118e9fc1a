/** Image files that the command puts in place, compared with their records. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ndjson, openSandbox } from '../support/command.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('a picture')])
const gif = Buffer.from('GIF89a and so on')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const none = Object.fromEntries(
  Object.keys(recordsAt('images')[0] ?? {})
    .filter((name) => name.endsWith('Id'))
    .map((name) => [name, null]),
)
const record = (number: number, changes: object = {}) => ({
  ...recordsAt('images')[0],
  ...none,
  id: idOf(number),
  fileName: `front ${number}.png`,
  mimeType: 'image/png',
  sizeBytes: png.length,
  sha256: null,
  ...changes,
})

describe('images add', () => {
  const sandbox = openSandbox()
  after(() => sandbox.close())
  const environment = { IMAGES_URL: `file:${join(sandbox.folder, 'stored')}` }
  const run = async (...args: string[]) => {
    const words = ['images', 'add', ...args, '--brand', 'acme', '--json']
    const ran = await sandbox.run(words, '', environment)
    return {
      code: ran.code,
      stderr: ran.stderr,
      result: ran.stdout ? JSON.parse(ran.stdout) : null,
    }
  }
  const stored = (number: number) => join(sandbox.folder, 'stored', 'acme', idOf(number))
  const counts = (result: { [name: string]: unknown }) =>
    ['matched', 'stored', 'problems', 'superfluous', 'missing'].map((name) => result[name])

  before(async () => {
    const images = [
      record(1),
      record(2, { sha256: sha256(png) }),
      record(3, { mimeType: 'image/gif', sizeBytes: gif.length }),
      record(4),
      record(5, { fileName: 'twice.png' }),
      record(6, { fileName: 'twice.png' }),
    ]
    sandbox.put({
      'brand.ndjson': ndjson([brandRecord('acme', 1)]),
      'images.ndjson': ndjson(images),
      [`good/${idOf(1)}.PNG`]: png,
      'good/front 2.png': png,
      [`good/${idOf(3)}`]: gif,
      'good/notes.txt': 'x',
      'good/.hidden': 'x',
    })
    const files = ['brand.ndjson', 'images.ndjson'].map((name) => join(sandbox.folder, name))
    const { code, stderr } = await sandbox.run(['import', ...files, '--brand', 'acme'])
    assert.equal(code, 0, stderr)
  })

  it('reports what it would do in a dry run', async () => {
    const { code, result } = await run(join(sandbox.folder, 'good'), '--dry-run')
    assert.deepEqual([code, ...counts(result)], [0, 3, 0, 0, 1, 3])
    assert.ok(result.first.superfluous[0].endsWith('good/notes.txt'))
    assert.deepEqual(result.first.missing[0], { id: idOf(4), fileName: 'front 4.png' })
    assert.equal(existsSync(stored(1)), false)
  })

  it('stores files by the id and by the name of their records', async () => {
    const { code, result } = await run(join(sandbox.folder, 'good'))
    assert.deepEqual([code, ...counts(result)], [0, 3, 3, 0, 1, 3])
    assert.deepEqual(
      [1, 2, 3].map((number) => readFileSync(stored(number))),
      [png, png, gif],
    )
    const again = await run(join(sandbox.folder, 'good', 'front 2.png'))
    assert.deepEqual([again.code, ...counts(again.result)], [0, 1, 1, 0, 0, 3])
  })

  for (const [name, file, bytes, reason] of [
    [
      'of another size',
      'front 4.png',
      Buffer.concat([png, png]),
      /has 34 bytes; its record says 17 \(sizeBytes\)$/,
    ],
    [
      'of another type',
      'front 4.png',
      Buffer.concat([gif, Buffer.from('.')]),
      /is image\/gif; its record says image\/png \(mimeType\)$/,
    ],
    [
      'with other bytes than its digest',
      'front 2.png',
      Buffer.from(png).fill(0x7a, 10),
      /does not have the sha256 of its record$/,
    ],
    [
      'of several records',
      'twice.png',
      png,
      /is the fileName of 2 records, such as .* name the file by the id of its record$/,
    ],
  ] as const) {
    it(`stores nothing if a file is ${name}`, async () => {
      const path = sandbox.put({ [`bad/${name}/${file}`]: bytes })
      const { code, result } = await run(join(sandbox.folder, 'good', `${idOf(1)}.PNG`), path)
      assert.deepEqual([code, result.stored, result.problems], [1, 0, 1])
      const [problem] = result.first.problems
      assert.match(`${problem.file} ${problem.reason}`, reason)
    })
  }

  it('fails if no file belongs to a record, or there is none', async () => {
    const { code, result } = await run(join(sandbox.folder, 'good', 'notes.txt'))
    assert.deepEqual([code, result.matched, result.superfluous], [1, 0, 1])
    const missing = await run(join(sandbox.folder, 'nowhere'))
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /nowhere does not exist or cannot be read\./)
  })
})
