/** Values of a mapping that are not decided yet: no way in takes them by mistake. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { UploadChoices } from '#contract'
import { runUploadTask } from '../../src/cli/upload-task.ts'
import { createMaps } from '../../src/intake/maps.ts'
import { openSandbox } from '../support/command.ts'

const place = openSandbox()
after(() => place.close())

const mapping = (from: string) => `version: 1
brand: halden
collections:
  tags:
    from: ${from}
    id: { key: [NO] }
    fields:
      name: { open: [NAME, { value: Étiquette }] }
      uiColor: { open: [] }
      createdAt: first-seen
      updatedAt: last-changed
`

/** What every way in says. */
const refusal =
  /open\.map\.yaml has 2 open values: decide them[^\n]*\n\S*open\.map\.yaml:8 tags\.name is open: NAME or \{ value: "Étiquette" \}\n\S*open\.map\.yaml:9 tags\.uiColor is open: there is no candidate/

const storedTags = async () => {
  const exported = await place.run(['export', 'exported', '--brand', 'halden'])
  assert.equal(exported.code, 0, exported.stderr)
  return readFileSync(join(place.folder, 'exported/tags.ndjson'), 'utf8')
}

before(async () => {
  place.put({
    'open.map.yaml': mapping("{ files: 'tags*.csv' }"),
    'sql/open.map.yaml': mapping('{ sql: select * from tags }'),
    'tags.csv': "NO,NAME\n1,L'été\n2,冬\n",
    'inbox/tags.csv': "NO,NAME\n1,L'été\n",
  })
  const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
  assert.equal(added.code, 0, added.stderr)
})

describe('open values', () => {
  for (const [name, args] of [
    ['import', ['import', '--map', 'open.map.yaml', 'tags.csv']],
    ['a dry run', ['import', '--map', 'open.map.yaml', 'tags.csv', '--dry-run']],
    ['watch', ['watch', 'inbox', '--map', 'open.map.yaml', '--once', '--settle', '0s']],
    // Refused before the database is asked.
    [
      'sync',
      ['sync', '--map', 'sql/open.map.yaml', '--once', '--source-url', 'postgres://127.0.0.1:1/x'],
    ],
  ] as const) {
    it(`are refused by ${name}, with their lines and candidates`, async () => {
      const { code, stderr } = await place.run(args)
      assert.equal(code, 1)
      assert.match(stderr, refusal)
      assert.match(stderr, /or add --allow-open to use the first candidate of each$/m)
      assert.ok(statSync(join(place.folder, 'inbox/tags.csv')).isFile())
    })
  }

  it('are refused for posted rows', async () => {
    await assert.rejects(createMaps(place.folder).find('open'), refusal)
  })

  it('are refused for uploads, without advice about the command line', async () => {
    const files = (['mapping', 'records'] as const).map((kind) => {
      const name = kind === 'mapping' ? 'open.map.yaml' : 'tags.csv'
      const path = join(place.folder, name)
      return { id: name, name, path, bytes: statSync(path).size, kind, collection: null }
    })
    const choices: UploadChoices = {
      ...{ brand: 'halden', collections: {}, replace: false, allowRemovals: false },
      onError: 'refuse',
    }
    const { databaseUrl } = place
    const config = { databaseUrl, redisUrl: null, imagesUrl: 'file:none', changeFeed: true }
    for (const kind of ['preview', 'check', 'import'] as const) {
      const message = await runUploadTask(
        {
          ...{ kind, files, choices, operator: 'Ada' },
          config: { ...config, requiresRowSecurity: false },
          cancelled: new Int32Array(new SharedArrayBuffer(4)),
        },
        () => undefined,
      )
      assert.ok('outcome' in message && message.outcome.is === 'failed', JSON.stringify(message))
      assert.match(message.outcome.message, refusal)
      assert.doesNotMatch(message.outcome.message, /--/)
    }
  })

  it('are decided by their first candidates with --allow-open', async () => {
    const imported = await place.run([
      ...['import', '--map', 'open.map.yaml', 'tags.csv', '--allow-open', '--json'],
    ])
    assert.equal(imported.code, 0, imported.stderr)
    assert.equal(JSON.parse(imported.stdout).collections[0].added, 2)
    const stored = await storedTags()
    assert.match(stored, /"name":"L'été"/)
    assert.match(stored, /"name":"冬"/)
    assert.doesNotMatch(stored, /Étiquette/)
    assert.match(stored, /"uiColor":null/)
  })
})
