import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkNames } from '../../reliability/checks.ts'
import { reliabilitySuite } from '../support/reliability-suite.ts'

reliabilitySuite('even')

it('npm run reliability lists the checks', () => {
  const main = fileURLToPath(new URL('../../reliability/main.ts', import.meta.url))
  const { stdout, status } = spawnSync(process.execPath, [main], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.deepEqual(stdout.trim().split('\n'), [...checkNames, 'replay'].sort())
})
