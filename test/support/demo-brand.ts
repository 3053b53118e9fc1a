/** A demo brand, the files of its export, and a server that has it: made once for the suites of a test file. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { openSandbox, type Sandbox } from './command.ts'
import { openTestService, patient, type TestService } from './service.ts'
import { type ExportedBrand, readExport } from './today-figures.ts'

export interface DemoBrand {
  readonly service: TestService
  readonly key: string
  readonly exported: ExportedBrand
}

export interface DemoBrandSource {
  readonly orders: number
  readonly open: () => Promise<DemoBrand>
}

/**
 * A brand `acme` around today, whose day is that of its time zone. The first suite that opens it
 * makes it, and it goes with the file.
 */
export const demoBrand = (orders: number, timezone?: string): DemoBrandSource => {
  let sandbox: Sandbox | undefined
  let opened: Promise<DemoBrand> | undefined
  const make = async (): Promise<DemoBrand> => {
    sandbox = openSandbox()
    if (timezone !== undefined) {
      const added = ['brands', 'add', 'acme', '--name', 'Acme', '--timezone', timezone]
      assert.equal((await sandbox.run(added)).code, 0)
    }
    const made = ['demo', '--brand', 'acme', '--orders', String(orders - 1)]
    assert.equal((await sandbox.run(made)).code, 0)
    const out = join(sandbox.folder, 'out')
    const ran = await sandbox.run(['export', out, '--brand', 'acme', '--format', 'ndjson'])
    assert.equal(ran.code, 0, ran.stderr)
    const exported = readExport(out)
    // Commands of the sandbox use its address as it is.
    const environment = { DATABASE_URL: patient(sandbox.databaseUrl) }
    const service = await openTestService(environment, { story: false })
    return { service, key: await service.key('acme'), exported }
  }
  after(async () => {
    const brand = await opened?.catch(() => undefined)
    await brand?.service.close()
    sandbox?.close()
  })
  return {
    orders,
    open: () => {
      opened ??= make()
      return opened
    },
  }
}
