/** What a visitor sees first stays short. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { read, root } from '../support/pages.ts'

describe('the root of the repository', () => {
  const isCheckout = existsSync(join(root, '.git'))

  it('has at most 24 visible entries', { skip: !isCheckout && 'Git lists the files' }, () => {
    const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
    const entries = new Set(files.map((file) => file.split('/')[0] ?? ''))
    const visible = [...entries].filter((entry) => /^[^.]/.test(entry))
    assert.ok(visible.includes('README.md'))
    assert.ok(visible.length <= 24, visible.join(' '))
  })

  it('has at most 20 scripts in package.json', () => {
    const names = Object.keys(JSON.parse(read('package.json')).scripts)
    assert.ok(names.includes('test'))
    assert.ok(names.length <= 20, names.join(' '))
  })
})
