import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Finding } from './config-check.ts'

export interface FileRules {
  /** What the program does with it. */
  readonly needs: 'read' | 'write'
  /** Whether others must not read it. */
  readonly isPrivate: boolean
  /** Whether the program creates it if it is missing. */
  readonly isCreated: boolean
  /** Whether another machine may have it instead. */
  readonly isElsewhere?: true
}

/**
 * Whether the program can use a file or folder, and others cannot misuse it. Access is that of the
 * user who runs this.
 */
export const checkFile = async (
  subject: string,
  file: string,
  { needs, isPrivate, isCreated, isElsewhere }: FileRules,
): Promise<Finding> => {
  const path = resolve(file)
  const stats = await stat(path).catch(codeOf)
  const isMissing = stats === 'ENOENT' || stats === 'ENOTDIR'
  if (isMissing && isCreated) return checkCreatable(subject, path)
  if (isMissing && isElsewhere) {
    return { subject, state: 'warning', message: `${path} is not on this machine.` }
  }
  if (typeof stats === 'string') return error(subject, `${path} cannot be used (${stats}).`)
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0')
  const repair = `chmod o= ${path}`
  if (await isRefused(path, needs)) {
    const user = process.getuid?.() ?? 'of this process'
    const verb = needs === 'write' ? 'written' : 'read'
    return error(subject, `${path} cannot be ${verb} by the user ${user} (mode ${mode}).`)
  }
  // Windows has no such modes.
  if (process.platform === 'win32') return { subject, state: 'ok', message: path }
  if (stats.mode & 0o002) {
    return error(
      subject,
      `Everybody on this machine can write to ${path} (mode ${mode}): ${repair}`,
    )
  }
  if (isPrivate && stats.mode & 0o004) {
    const message = `Everybody on this machine can read ${path} (mode ${mode}): ${repair}`
    return { subject, state: 'warning', message }
  }
  return { subject, state: 'ok', message: `${path} (mode ${mode})` }
}

/** Missing folders are created with it, in the nearest one that exists. */
const checkCreatable = async (subject: string, path: string): Promise<Finding> => {
  let folder = dirname(path)
  let stats = await stat(folder).catch(codeOf)
  while (stats === 'ENOENT' && folder !== dirname(folder)) {
    folder = dirname(folder)
    stats = await stat(folder).catch(codeOf)
  }
  if (typeof stats === 'string' || !stats.isDirectory() || (await isRefused(folder, 'write'))) {
    return error(
      subject,
      `${path} cannot be created: ${folder} is not a folder that can be written to.`,
    )
  }
  return { subject, state: 'ok', message: `${path} ${createdLater}` }
}

export const createdLater = 'does not exist yet and is created when it is needed.'

const isRefused = async (path: string, needs: FileRules['needs']): Promise<boolean> => {
  const mode = needs === 'write' ? constants.R_OK | constants.W_OK : constants.R_OK
  return access(path, mode).then(
    () => false,
    () => true,
  )
}

const error = (subject: string, message: string): Finding => ({ subject, state: 'error', message })

const codeOf = (thrown: NodeJS.ErrnoException): string => thrown.code ?? thrown.message
