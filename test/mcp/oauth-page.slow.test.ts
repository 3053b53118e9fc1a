/** The consent page in a real browser, and a program on the same machine that asks for access. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { allFindings, openPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { createRawClient } from '../support/oauth.ts'
import { openTestService, type TestService } from '../support/service.ts'

/** A program that listens for its code, on a port that it has not registered, and redirects further. */
const openProgram = async () => {
  const received: URL[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    if (url.pathname === '/callback') {
      received.push(url)
      const { port } = server.address() as AddressInfo
      response.writeHead(302, { location: `http://localhost:${port}/done` }).end()
    } else response.end('Connected.')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { received, uri: `http://127.0.0.1:${port}/callback`, close: () => server.close() }
}

describe('the consent page in a browser', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string
  before(async () => {
    service = await openTestService({ OAUTH: 'on' })
    key = await service.key('aldermoor')
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  it('leads a person with a key from the question to the program, without a script', async () => {
    const program = await openProgram()
    const client = await createRawClient(service.url, { uri: 'http://127.0.0.1/callback' })
    const url = client.authorizeUrl({ redirect_uri: program.uri })
    const page = await openPage(browser, service.url, { javaScriptEnabled: false })
    await page.goto(url)
    await page.getByText('a program on this computer').waitFor()
    await page.getByLabel('API key').fill('slv_wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('is not valid').waitFor()
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('(aldermoor)').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Connected.').waitFor()
    const [answer] = program.received
    assert.equal(answer?.searchParams.get('state'), 'a state')
    const code = answer?.searchParams.get('code') ?? ''
    const { status, body } = await client.token({ code, redirect_uri: program.uri })
    assert.equal(status, 200)
    assert.equal((await client.call(body.access_token)).status, 200)
    const own = page.faults.filter(
      (fault) => !/^asked http:.*\/(callback|done|favicon)/.test(fault),
    )
    assert.deepEqual(own, [])
    await page.context().close()
    program.close()
  })

  it('is accessible in both languages, light and dark, on a telephone too', async () => {
    const client = await createRawClient(service.url)
    const choices = [
      { locale: 'en-GB', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
      { locale: 'de-DE', colorScheme: 'dark', viewport: { width: 360, height: 640 } },
    ] as const
    for (const choice of choices) {
      const page = await openPage(browser, service.url, choice)
      await page.goto(client.authorizeUrl())
      assert.deepEqual(await allFindings(page), [])
      const field = page.locator('input[name=key]')
      assert.equal(await page.evaluate('document.activeElement.name'), 'key')
      await field.fill('slv_wrong')
      await field.press('Enter')
      await page.getByRole('alert').waitFor()
      assert.deepEqual(await allFindings(page), [])
      await page.locator('input[name=key]').fill(key)
      await page.locator('input[name=key]').press('Enter')
      await page.getByText('(aldermoor)').waitFor()
      assert.deepEqual(await allFindings(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await page.goto(client.authorizeUrl({ response_type: 'token' }))
      assert.deepEqual(await allFindings(page), [])
      assert.deepEqual(page.faults, [])
      await page.context().close()
    }
  })

  it('is not shown inside another page', async () => {
    const client = await createRawClient(service.url)
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/healthz`)
    await page.setContent(`<iframe src="${client.authorizeUrl()}"></iframe>`)
    const frame = page.frames().at(-1)
    await page.waitForLoadState('load')
    assert.equal(await frame?.getByLabel('API key').count(), 0)
    assert.ok(
      page.faults.some((fault) => /frame-ancestors/.test(fault)),
      page.faults.join(),
    )
    await page.context().close()
  })
})
