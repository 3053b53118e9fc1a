/** The single executable: built, and used from a folder with nothing else. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildBinaries, type Platform, platforms } from '../../tools/build-binary.ts'
import { openPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { leave } from '../support/console.ts'
import { openGuest, readServed, runCommands } from '../support/tour.ts'

const own = `${process.platform}-${process.arch}`
const other = own === 'linux-arm64' ? 'linux-x64' : 'linux-arm64'
/** The number of the processor in the header of an executable. */
const machines = { 'linux-x64': 0x3e, 'linux-arm64': 0xb7 }
const skip = Object.hasOwn(platforms, own) ? false : `there is no executable for ${own}`

describe('the single executable', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-binary-test-'))
  let program = ''
  let forOther = ''

  before(async () => {
    ;[program = '', forOther = ''] = await buildBinaries(folder, [own as Platform, other])
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('names its version, and those of Node and SQLite', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    const said = execFileSync(program, ['--version'], { encoding: 'utf8' })
    const { node, sqlite } = process.versions
    assert.equal(said, `${version} (Node ${node}, SQLite ${sqlite})\n`)
  })

  it('is built for another processor without being run', () => {
    const header = readFileSync(forOther).subarray(0, 20)
    assert.equal(header.toString('latin1', 1, 4), 'ELF')
    assert.equal(header.readUInt16LE(18), machines[other])
  })

  it('serves with workers, shows its console and runs every command', async () => {
    const guest = openGuest({ command: [program], workers: 2 })
    try {
      const served = await guest.serve()
      await readServed(served, guest)
      if (!missingBrowser) await openConsole(served.url, served.consoleUrl)
      await runCommands(served, guest)
      const { code, stderr } = await served.stop()
      assert.equal(code, 0, stderr)
    } finally {
      guest.close()
    }
  })
})

const openConsole = async (url: string, consoleUrl: string): Promise<void> => {
  const browser = await openChromium()
  try {
    const page = await openPage(browser, url)
    await page.goto(consoleUrl)
    await page.locator('main a[href*="/orders?"]').first().waitFor()
    await leave(page)
  } finally {
    await browser.close()
  }
}
