import assert from 'node:assert/strict'
import { createCipheriv, createHash } from 'node:crypto'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import type { BackupManifest } from '#backup'
import { readArchive } from '../../src/backup/archive-reader.ts'
import { createArchiveWriter } from '../../src/backup/archive-writer.ts'
import { parseTables } from '../../src/backup/postgres-source.ts'

const secret = Buffer.alloc(32, 7)
const salt = Buffer.alloc(32, 9)
const sealed = { encryption: { secret, salt } }
const at = Date.parse('2026-11-18T12:00:00Z')

const description = {
  release: '0.3.0',
  installation: '0123456789abcdef',
  engine: 'sqlite',
  method: 'sqlite',
  takenAt: '2026-11-18T12:00:00.000Z',
  schemaGeneration: '3',
  change: 42,
  feedPosition: 42,
  counts: { aldermoor: { orders: 2 }, '*': { currencies: 1 } },
} as const

const small = {
  'queue.db': Buffer.from('units'),
  'keys.db': Buffer.alloc(0),
  'records.db': Buffer.from('records, '.repeat(100)),
}

/** The same bytes every time, which cannot be compressed. */
const randomLike = (bytes: number): Buffer =>
  createCipheriv('aes-128-ctr', salt.subarray(16), salt.subarray(16)).update(Buffer.alloc(bytes))

const archiveOf = async (
  files: Readonly<Record<string, Uint8Array>>,
  options: object = {},
): Promise<Buffer> => {
  const written: Uint8Array[] = []
  const sink = { write: async (bytes: Uint8Array) => void written.push(Uint8Array.from(bytes)) }
  const writer = createArchiveWriter(sink, { at, ...options })
  for (const [name, content] of Object.entries(files)) await writer.add(name, inChunks(content))
  await writer.finish(description)
  return Buffer.concat(written)
}

async function* inChunks(bytes: Uint8Array, length = 1_000_003): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length)
}

const read = async (archive: Uint8Array, key: Uint8Array | null = null) => {
  const files: Record<string, Buffer> = {}
  const manifest = await readArchive(inChunks(archive), {
    secret: key,
    onFile: async (name, content) => {
      files[name] = Buffer.concat(await Array.fromAsync(content))
    },
  })
  return { manifest, files }
}

const isRefused = (archive: Uint8Array, key: Uint8Array | null = null, message?: RegExp) =>
  assert.rejects(read(archive, key), { name: 'BackupError', ...(message && { message }) })

for (const [kind, options, key] of [
  ['a plain', {}, null],
  ['an encrypted', sealed, secret],
] as const) {
  test(`${kind} archive returns the files and the description that were written`, async () => {
    // Longer than two parts, and not compressible.
    const random = randomLike(20_000_000)
    const files = { ...small, 'records.db': random }
    const { manifest, files: unpacked } = await read(await archiveOf(files, options), key)
    assert.deepEqual(unpacked, files)
    const { files: described, ...rest } = manifest
    assert.deepEqual(rest, { format: 1, ...description, images: 'not included' })
    assert.deepEqual(
      described.map(({ name, parts, bytes }) => [name, parts, bytes]),
      [
        ['queue.db', 1, 5],
        ['keys.db', 1, 0],
        ['records.db', 3, random.length],
      ],
    )
  })

  test(`${kind} archive that is cut off anywhere is refused`, async () => {
    const archive = await archiveOf(small, options)
    for (let length = 0; length < archive.length; length += 13) {
      await isRefused(archive.subarray(0, length), key)
    }
    await isRefused(archive.subarray(0, -1), key)
    await isRefused(Buffer.concat([archive, Buffer.alloc(1)]), key)
  })

  test(`${kind} archive with a byte changed is refused, wherever it is`, async () => {
    const archive = await archiveOf(small, options)
    for (let place = 0; place < archive.length; place += 3) {
      archive[place] = (archive[place] as number) ^ 1
      await assert.rejects(read(archive, key), { name: 'BackupError' }, `byte ${place}`)
      archive[place] = (archive[place] as number) ^ 1
    }
    await read(archive, key)
  })
}

test('encrypted chunks in another order, twice or of another archive are refused', async () => {
  const big = { 'records.db': randomLike(250_000) }
  const archive = await archiveOf(big, sealed)
  const header = 28 + 32 + 16
  const chunk = 65_536 + 16
  const part = (number: number) =>
    archive.subarray(header + number * chunk, header + (number + 1) * chunk)
  const head = archive.subarray(0, header)
  const rest = archive.subarray(header + 2 * chunk)
  assert.ok(rest.length > chunk, 'the archive has more than three chunks')
  await read(Buffer.concat([head, part(0), part(1), rest]), secret)
  for (const changed of [
    [head, part(1), part(0), rest],
    [head, part(0), part(0), rest],
    [head, part(0), part(1), part(1), rest],
    [head, part(1), rest],
    [head, part(0), part(1)],
  ]) {
    await isRefused(Buffer.concat(changed), secret, /damaged/)
  }
  const other = await archiveOf(big, { encryption: { secret, salt: Buffer.alloc(32, 1) } })
  const foreign = other.subarray(header, header + chunk)
  await isRefused(Buffer.concat([head, foreign, part(1), rest]), secret, /damaged/)
})

test('a key file is needed for an encrypted archive, and for no other', async () => {
  const encrypted = await archiveOf(small, sealed)
  assert.ok(!encrypted.includes('manifest'))
  await isRefused(encrypted, null, /is encrypted\. Name its key file with --key-file/)
  await isRefused(encrypted, Buffer.alloc(32, 8), /another key file/)
  await isRefused(await archiveOf(small), secret, /is not encrypted/)
})

test('another file, or a backup of another format, is refused by what it is', async () => {
  await isRefused(Buffer.from('SQLite format 3\0'.repeat(100)), null, /not a backup of Selvedge/)
  await isRefused(Buffer.alloc(0), null, /not a backup of Selvedge/)
  const archive = (await archiveOf(small)).toString('latin1')
  const newer = archive.replace('"format": 1', '"format": 2')
  await isRefused(Buffer.from(newer, 'latin1'), null, /has format 2.*release that made it: 0\.3\.0/)
})

test('tar, sha256sum and zstd can unpack an archive without this program', async () => {
  const archive = await archiveOf(small)
  const members = new Map<string, Buffer>()
  for (let at = 0; archive[at] !== 0; ) {
    const name = archive.toString('latin1', at, archive.indexOf(0, at))
    const bytes = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8)
    members.set(name, archive.subarray(at + 512, at + 512 + bytes))
    at += 512 + Math.ceil(bytes / 512) * 512
  }
  const records = members.get('records.db/000001.zst') as Buffer
  assert.deepEqual(zstdDecompressSync(records), small['records.db'])
  const sums = String(members.get('SHA256SUMS')).trimEnd().split('\n')
  assert.deepEqual(
    sums,
    [...members]
      .filter(([name]) => name !== 'SHA256SUMS')
      .map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}`),
  )
  const manifest = JSON.parse(String(members.get('manifest.json'))) as BackupManifest
  assert.equal(manifest.change, 42)
})

test('a description of tables that would fill the memory is refused', async () => {
  const spaces = Buffer.alloc(1_048_576, ' ')
  const longText = async function* () {
    for (let count = 0; count < 20; count += 1) yield spaces
    yield Buffer.from('{}')
  }
  await assert.rejects(parseTables(longText()), /tables\.json is too long/)
  assert.deepEqual(await parseTables(inChunks(Buffer.from('{"tables":[]}'))), { tables: [] })
})
