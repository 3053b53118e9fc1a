/** The files of a release, without the single executables, which have a test of their own. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parse } from 'yaml'
import { changesOf, makeRelease } from '../../tools/release.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { version, scripts } = JSON.parse(read('package.json'))
const folder = mkdtempSync(join(tmpdir(), 'selvedge-release-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('a release', () => {
  it('has packages, a bill of materials, changes, and checksums that match', async () => {
    await makeRelease(folder, [])
    assert.deepEqual(readdirSync(folder).sort(), [
      'CHANGES.md',
      'SHA256SUMS',
      `selvedge-${version}.cdx.json`,
      `selvedge-${version}.tgz`,
      `selvedge-client-${version}.tgz`,
    ])
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder })
    assert.equal(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split('\n').length, 5)
    const bill = JSON.parse(readFileSync(join(folder, `selvedge-${version}.cdx.json`), 'utf8'))
    assert.equal(bill.metadata.component.version, version)
  })

  it('has the changes of its version, or those that are not released yet', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n- b\n\n## 0.1.0\n\n- a\n'
    assert.equal(changesOf(changelog, '0.1.0'), '## 0.1.0\n\n- a\n')
    assert.equal(changesOf(changelog, '0.2.0'), '## Unreleased\n\n- b\n\n')
    assert.throws(() => changesOf('# Changelog\n', '0.2.0'), /has no section about 0\.2\.0/)
  })

  it('is published by a workflow that runs commands which exist', () => {
    const workflow = parse(read('.github/workflows/release.yaml'))
    const { test, release } = workflow.jobs
    const steps: readonly { readonly run?: string }[] = [...test.steps, ...release.steps]
    const commands = steps.flatMap(
      ({ run }) => run?.match(/\bnpm (?:run )?(?:test|release)[:a-z]*/g) ?? [],
    )
    const tests = ['npm test', 'npm run test:slow', 'npm run test:release']
    assert.deepEqual(commands, [...tests, 'npm run release'])
    assert.equal(release.needs, 'test')
    for (const command of commands) assert.ok(scripts[command.split(' ').at(-1) ?? ''], command)
  })
})
