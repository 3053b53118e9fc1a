/** Import: codes that are invalid, and times in the future, on every way in. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import { validateSource } from '#ingest'
import { ndjson, openSandbox } from '../support/command.ts'
import { idOf, recordsAt } from '../support/model.ts'

const [location] = recordsAt('locations') as readonly DemoRecord[]
const wrong = {
  ...{ countryCode: 'GERMANY', gln: '123', timezone: 'Mars/Olympus', latitude: '999' },
  updatedAt: '2026-03-01T09:30:00.000Z',
}
const records = [{}, wrong, {}].map((values, index) => ({
  ...location,
  id: idOf(index + 1),
  ...values,
}))
const reasons = [
  ['/countryCode', 'GERMANY', 'is not an ISO 3166-1 alpha-2 code: use DE'],
  ['/gln', '123', 'must have 13 digits'],
  ['/timezone', 'Mars/Olympus', 'is not an IANA time zone such as Europe/Berlin'],
  ['/latitude', '999', 'must be from -90 to 90'],
]

const place = openSandbox()
before(async () => {
  const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
  assert.equal(added.code, 0, added.stderr)
})
after(() => place.close())

interface Found {
  readonly line: number
  readonly field: string
  readonly value: string
  readonly reason: string
}

/** The problems of a dry run. */
const problemsOf = async (...args: readonly string[]): Promise<readonly Found[]> => {
  const { stdout, stderr } = await place.run([
    ...['import', ...args, '--brand', 'halden', '--dry-run', '--json'],
  ])
  assert.notEqual(stdout, '', stderr)
  return JSON.parse(stdout).problems
}

const csvOf = (all: readonly DemoRecord[]): string => {
  const names = Object.keys(all[0] ?? {})
  const cell = (value: unknown) =>
    value === null
      ? ''
      : `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`
  return [names.join(','), ...all.map((each) => names.map((name) => cell(each[name])).join(','))]
    .join('\n')
    .concat('\n')
}

describe('invalid codes', () => {
  for (const [file, content, line] of [
    ['locations.ndjson', ndjson(records), 2],
    ['spaced/locations.ndjson', ndjson(records).replaceAll('{"id"', '{ "id"'), 2],
    ['locations.json', JSON.stringify(records), 1],
    ['locations.csv', csvOf(records), 3],
  ] as const) {
    it(`are named with their line and field in ${file}`, async () => {
      place.put({ [file]: content })
      const problems = await problemsOf(file)
      assert.deepEqual(
        problems.map((each) => [each.line, each.field, each.value, each.reason]),
        reasons.map((each) => [line, ...each]),
      )
    })
  }

  it('belong to the row of their batch, whether others are stored as bytes or parsed', async () => {
    for (const spaced of [[], [0], [2], [0, 1, 2]]) {
      const lines = records.map((each, index) => {
        const text = JSON.stringify(each)
        return spaced.includes(index) ? text.replace('{', '{ ') : text
      })
      const batches = await Array.fromAsync(
        validateSource({
          catalog,
          source: {
            name: 'locations.ndjson',
            resource: resourceAt(catalog, 'locations'),
            bytes: null,
            input: {
              kind: 'file',
              path: place.put({ 'batch.ndjson': `${lines.join('\n')}\n` }),
              format: 'ndjson',
              gzipped: false,
              opened: undefined,
              table: undefined,
            },
          },
          owner: 'halden',
          validBefore: 0,
          now: Date.parse('2026-06-01'),
        }),
      )
      assert.deepEqual(
        batches.flatMap(({ codeProblems, lines: numbers }) =>
          codeProblems.map(({ row, check, pointer }) => [numbers[row], row, check, pointer]),
        ),
        [
          [2, 1, 'country', '/countryCode'],
          [2, 1, 'gln', '/gln'],
          [2, 1, 'timezone', '/timezone'],
          [2, 1, 'latitude', '/latitude'],
        ],
      )
    }
  })

  it('are refused for a new brand', async () => {
    const add = ['brands', 'add', 'other', '--name', 'Other']
    for (const [option, value, reason] of [
      ['--country', 'Germany', 'is not an ISO 3166-1 alpha-2 code: use DE.'],
      ['--currency', 'eur', 'must be in upper case: EUR.'],
      ['--timezone', '+01:00', 'is an offset: use an IANA time zone such as Europe/Berlin.'],
    ] as const) {
      const { code, stderr } = await place.run([...add, option, value])
      assert.equal(code, 1)
      assert.ok(stderr.includes(`${option}: "${value}" ${reason}`), stderr)
    }
  })

  it('are shown by a check of the stored records, also those that are warnings', async () => {
    place.put({ 'locations.ndjson': ndjson(records.map((each) => ({ ...each, unLocode: 'x' }))) })
    const softened = await place.run(['brands', 'update', 'halden', '--checks', 'warn'])
    assert.equal(softened.code, 0, softened.stderr)
    const imported = await place.run(['import', 'locations.ndjson', '--brand', 'halden'])
    assert.equal(imported.code, 0, imported.stderr)
    const ids = ['COD-01', 'COD-03', 'COD-05', 'COD-08', 'COD-14']
    const rules = ids.flatMap((id) => ['--rule', id])
    const { stdout } = await place.run(['check', '--brand', 'halden', '--json', ...rules])
    assert.deepEqual(
      JSON.parse(stdout).rules.map((each: { count: number }) => each.count),
      [1, 1, 1, 1, 3],
    )
  })
})

describe('times of changes in the future', () => {
  const hour = 3_600_000
  const ahead = (hours: number, minutes = 0) =>
    new Date(Date.now() + hours * hour - minutes * 60_000).toISOString()
  const changed = (...times: readonly string[]) =>
    times.map((updatedAt, index) => ({ ...location, id: idOf(index + 1), updatedAt }))

  it('are one warning, with the time zone that explains them', async () => {
    const times = changed(ahead(5.5, 5), ahead(3), ahead(-1), '2099-01-01T00:00:00.000Z')
    for (const text of [ndjson(times), ndjson(times).replaceAll('{"id"', '{ "id"')]) {
      place.put({ 'locations.ndjson': text })
      const [problem, ...more] = await problemsOf('locations.ndjson')
      assert.deepEqual(more, [])
      assert.deepEqual(
        [problem?.line, problem?.field, problem?.value, problem?.reason],
        [
          1,
          '/updatedAt',
          times[0]?.updatedAt,
          'is in the future, in 3 rows: the times are probably in UTC+05:30 (Asia/Kolkata) and were taken for UTC, 5.5 hours too late; write the times in UTC or with their offset',
        ],
      )
    }
  })

  it('need no time zone to explain a wrong year', async () => {
    place.put({ 'locations.ndjson': ndjson(changed('2099-01-01T00:00:00.000Z', ahead(-1))) })
    const problems = await problemsOf('locations.ndjson')
    assert.deepEqual(
      problems.map(({ line, reason }) => [line, reason]),
      [[1, 'is in the future, in 1 row: correct the times in the source']],
    )
  })

  it('are explained by the time zone of a mapping', async () => {
    const local = new Date(Date.now() - 60_000).toISOString().slice(0, 19)
    place.put({
      'tags.csv': `CODE,NAME,CHANGED\nA,Apron,${local}\n`,
      'tags.map.yaml': `version: 1
timezone: Asia/Shanghai
formats: { timestamp: "yyyy-MM-dd'T'HH:mm:ss" }
collections:
  tags:
    from: tags.csv
    id: { key: [CODE] }
    fields:
      code: CODE
      name: NAME
      createdAt: first-seen
      updatedAt: { column: CHANGED, timezone: America/Phoenix }
`,
    })
    const [problem, ...more] = await problemsOf('tags.csv', '--map', 'tags.map.yaml')
    assert.deepEqual(more, [])
    assert.equal(
      problem?.reason,
      'is in the future, in 1 row: the times are probably in UTC and were taken for America/Phoenix, 7 hours too late; set timezone in the mapping',
    )
  })
})
