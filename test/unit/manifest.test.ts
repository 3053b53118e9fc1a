import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import type { ExportManifest } from '#export'
import {
  fileMode,
  type Manifest,
  manifestFile,
  readManifest,
  recordFile,
  replaceFile,
  writeManifest,
} from '#files'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-manifest-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const file = {
  collection: 'tags',
  file: 'tags.ndjson',
  records: 2,
  bytes: 6,
  sha256: createHash('sha256').update('{}\n{}\n').digest('hex'),
}

describe('a manifest', () => {
  it('of an export is written byte for byte as in earlier releases', async () => {
    const manifest: ExportManifest = {
      contract: '1.0.0',
      brand: 'aldermoor',
      format: 'ndjson',
      database: '0123456789abcdef',
      snapshotAt: '2026-03-01T09:00:00.000Z',
      feedCursor: null,
      complete: true,
      files: [{ ...file, version: 7 }],
    }
    await writeManifest(folder, manifest)
    assert.equal(
      readFileSync(join(folder, 'manifest.json'), 'utf8'),
      `{
 "contract": "1.0.0",
 "brand": "aldermoor",
 "format": "ndjson",
 "database": "0123456789abcdef",
 "snapshotAt": "2026-03-01T09:00:00.000Z",
 "feedCursor": null,
 "complete": true,
 "files": [
  {
   "collection": "tags",
   "file": "tags.ndjson",
   "records": 2,
   "bytes": 6,
   "sha256": "${file.sha256}",
   "version": 7
  }
 ]
}
`,
    )
    assert.deepEqual(await readManifest(folder), manifest)
    assert.equal(statSync(join(folder, 'manifest.json')).mode & 0o777, 0o600)
  })

  it('that is missing or cannot be read is null', async () => {
    const other = mkdtempSync(join(folder, 'other-'))
    assert.equal(await readManifest(other), null)
    writeFileSync(join(other, 'manifest.json'), '{"contract":')
    assert.equal(await readManifest(other), null)
  })

  it('describes a file by its size and checksum', async () => {
    writeFileSync(join(folder, file.file), '{}\n{}\n')
    const { collection, file: name, records } = file
    assert.deepEqual(await manifestFile(folder, { collection, file: name, records }), file)
    const manifest: Manifest = {
      contract: '1',
      brand: 'b',
      format: 'ndjson',
      complete: false,
      files: [file],
    }
    await writeManifest(folder, manifest)
    assert.equal((await readManifest(folder))?.complete, false)
  })

  it('names the files of shared collections in a folder of their own', () => {
    assert.equal(recordFile(resourceAt(catalog, 'tags'), 'csv'), 'tags.csv')
    assert.equal(recordFile(resourceAt(catalog, 'countries'), 'ndjson'), 'shared/countries.ndjson')
  })
})

describe('a file that is replaced', () => {
  it('stays as it was until the new one is complete', async () => {
    const path = join(folder, 'deep/records.txt')
    await replaceFile(path, (draft) => writeFile(draft, 'old', { mode: fileMode }))
    const failed = replaceFile(path, async (draft) => {
      await writeFile(draft, 'half')
      throw new Error('interrupted')
    })
    await assert.rejects(failed, /interrupted/)
    assert.equal(readFileSync(path, 'utf8'), 'old')
    await replaceFile(path, (draft) => writeFile(draft, 'new', { mode: fileMode }))
    assert.equal(readFileSync(path, 'utf8'), 'new')
    assert.deepEqual(readdirSync(join(folder, 'deep')), ['records.txt'])
  })

  it('does not get the mode of a draft that an interrupted run has left', async () => {
    const path = join(folder, 'mode.txt')
    writeFileSync(`${path}.part`, 'half')
    chmodSync(`${path}.part`, 0o644)
    await replaceFile(path, (draft) => writeFile(draft, 'whole', { mode: fileMode }))
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })
})
