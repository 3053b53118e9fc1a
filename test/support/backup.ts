/** A place with demo records and a key that is backed up, and what a backup has. */
import assert from 'node:assert/strict'
import { createReadStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readArchive } from '../../src/backup/archive-reader.ts'
import { openSandbox, type Ran } from './command.ts'

export const openBackupPlace = () => {
  const place = openSandbox()
  const temporary = join(place.folder, 'temporary')
  mkdirSync(temporary)
  const environment = { TMPDIR: temporary }
  return {
    ...place,
    /** Where commands have their temporary files. */
    temporary,
    /** For commands in processes of their own. */
    environment: { ...place.environment, ...environment },
    fill: async () => {
      for (const args of [
        ['demo', '--orders', '0'],
        ['keys', 'issue', '--brand', 'aldermoor'],
      ]) {
        const { code, stderr } = await place.run(args)
        assert.equal(code, 0, stderr)
      }
    },
    backUp: async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> => {
      // Only meanwhile: the tests of other files in this process have temporary files too.
      const { TMPDIR } = process.env
      process.env['TMPDIR'] = temporary
      try {
        return await place.run(['backup', ...args], '', more)
      } finally {
        if (TMPDIR === undefined) delete process.env['TMPDIR']
        else process.env['TMPDIR'] = TMPDIR
      }
    },
    folderNamed: (name: string): string => {
      const folder = join(place.folder, name)
      mkdirSync(folder)
      return folder
    },
  }
}

/** The result of a command with --json that has succeeded. */
export const resultOf = ({ code, stdout, stderr }: Ran) => {
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

/** The content of the files of an archive, by name. */
export const unpack = async (file: string, secret: Uint8Array | null = null) => {
  const files: Record<string, Buffer> = {}
  const manifest = await readArchive(createReadStream(file), {
    secret,
    onFile: async (name, content) => {
      files[name] = Buffer.concat(await Array.fromAsync(content))
    },
  })
  return { manifest, files }
}
