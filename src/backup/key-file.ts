import { open } from 'node:fs/promises'
import { BackupError } from './backup-error.ts'

/** 256 bits as hexadecimal or base64 text, or more; longer files are others by mistake. */
const [bytesMin, bytesMax] = [32, 4_096]

/** Reads the secret that backups are encrypted with, without the line break at its end. */
export const readKeyFile = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`The key file ${path} cannot be read (${error.code}).`)
  })
  try {
    const stats = await file.stat()
    // Windows has no such modes.
    if (process.platform !== 'win32' && stats.mode & 0o007) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
      throw new BackupError(
        `Everybody on this machine can use the key file ${path} (mode ${mode}): chmod o= ${path}`,
      )
    }
    if (!stats.isFile() || stats.size > bytesMax) {
      throw new BackupError(`The key file ${path} is not a file of at most 4 KiB.`)
    }
    const content = await file.readFile()
    const secret = content.subarray(0, lengthWithoutLineBreak(content))
    if (secret.length >= bytesMin) return secret
    throw new BackupError(
      `The key file ${path} has ${secret.length} characters and needs at least ${bytesMin}. Make one: (umask 077; openssl rand -hex 32 > ${path})`,
    )
  } finally {
    await file.close()
  }
}

const lengthWithoutLineBreak = (content: Buffer): number => {
  let length = content.length
  while (length > 0 && (content[length - 1] === 0x0a || content[length - 1] === 0x0d)) length -= 1
  return length
}
