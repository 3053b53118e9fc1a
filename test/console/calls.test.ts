/** The calls that the console offers for copying do what they say, in every language. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { basePath, catalog, operationsOf, queryBasePath, relationsOf } from '#contract'
import { clientCall } from '../../console/src/call/client-call.ts'
import { languages, type Request } from '../../console/src/call/languages.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const run = promisify(execFile)
const service = await openTestService()
const [brand = ''] = (await service.records.store.brands()).map(({ slug }) => slug)
const key = await service.key(brand)
const folder = mkdtempSync(join(tmpdir(), 'selvedge-calls-'))
const root = fileURLToPath(new URL('../../', import.meta.url))
mkdirSync(join(folder, 'node_modules/@selvedge'), { recursive: true })
symlinkSync(join(root, 'client'), join(folder, 'node_modules/@selvedge/client'), 'junction')
after(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The program that runs a text, and what the file it is written to is called. */
const programs: { readonly [name: string]: readonly [program: string, file: string] } = {
  curl: ['sh', 'call.sh'],
  TypeScript: [process.execPath, 'call.ts'],
  Python: ['python3', 'call.py'],
}

const isThere = async (program: string): Promise<boolean> =>
  run(program, program === 'sh' ? ['-c', 'curl --version'] : ['--version']).then(
    () => true,
    () => false,
  )

const items = recordsAt('order-items').map(({ id }) => String(id))
const [first = {}] = recordsAt('order-items')
const at = (rest: string, api = queryBasePath) => `${service.url}${api}/brands/${brand}/${rest}`
const calls: readonly (readonly [string, Request, readonly string[]])[] = [
  ['a whole list', { url: at('order-items'), isList: true }, items],
  ['a list in pages', { url: at('order-items?limit=3'), isList: true }, items],
  [
    'a list with filters',
    { url: at(`order-items?skuId=${first['skuId']}&category=${first['category']}`), isList: true },
    items.slice(0, 1),
  ],
  [
    'a list with a range, several values and an order',
    {
      url: at(`order-items?qty.gte=0&skuId.in=${first['skuId']}&sort=-qty&fields=qty,skuId`),
      isList: true,
    },
    items.slice(0, 1),
  ],
  ['a record', { url: at(`order-items/${items[0]}`, basePath), isList: false }, items.slice(0, 1)],
]

describe('a call that was copied', () => {
  for (const { name, write } of languages) {
    const [program = '', file = ''] = programs[name] ?? []
    for (const [what, request, wanted] of calls) {
      it(`reads ${what} in ${name}`, async (t) => {
        if (!(await isThere(program))) return t.skip(`needs ${name}`)
        writeFileSync(join(folder, file), write(request))
        const { stdout } = await run(program, [file], {
          cwd: folder,
          env: { ...process.env, SELVEDGE_KEY: key },
        })
        // One request answers one page; the other languages go on to the last.
        const reported = name === 'curl' && what === 'a list in pages' ? 3 : wanted.length
        assert.equal(
          items.filter((id) => stdout.includes(id)).length,
          reported,
          stdout.slice(0, 500),
        )
        return undefined
      })
    }
  }

  it('compiles in TypeScript for every operation, with all its filters and relations', async () => {
    const values = { identifier: items[0] ?? '', string: `it's "a" \\ value\n`, integer: '3' }
    const texts = operationsOf(catalog)
      .filter(({ endpoint }) => endpoint !== 'content')
      .map(({ resource, endpoint, path }) => {
        const isList = endpoint === 'list'
        const include = relationsOf(resource).map(({ name }) => name)
        const query = new URLSearchParams({
          ...(isList && { limit: '3', cursor: 'x' }),
          ...(isList &&
            Object.fromEntries(resource.filters.map(({ name, kind }) => [name, values[kind]]))),
          ...(include.length > 0 && { include: include.join(',') }),
        })
        const url = `${service.url}${isList ? queryBasePath : basePath}${path}?${query}`
        return clientCall({ url: url.replace('{brand}', brand).replace('{id}', 'x'), isList })
      })
    // One program for all of them: each in a block of its own, below one import.
    const [opening = ''] = texts[0]?.split('\n') ?? []
    const blocks = texts.map((text) => text.replace(opening, '{').concat('\n}\n'))
    writeFileSync(join(folder, 'all.mts'), [opening, ...blocks].join('\n'))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext']
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const { stdout } = await run(process.execPath, [tsc, ...flags, ...types, 'all.mts'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error)
    assert.equal(stdout.slice(0, 1_000), '')
  })
})
