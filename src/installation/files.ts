import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { getAssetKeys, getRawAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/**
 * The folder of the checkout or of the package that this program belongs to. The single executable has
 * none: its files are inside of it.
 */
export const installationFolder: string | null = isSea()
  ? null
  : fileURLToPath(new URL('../../', import.meta.url))

/** Reads a file of the installation by its path from the folder, such as `openapi.json`. */
export const installedFile = async (path: string): Promise<Buffer> => {
  if (installationFolder === null) return assetAt(path)
  if (hasInstalledFile(path)) return readFile(installationFolder + path)
  // The package has its largest document compressed.
  return promisify(gunzip)(await readFile(`${installationFolder}${path}.gz`))
}

/** The same for the few places that cannot wait. */
export const installedFileSync = (path: string): Buffer =>
  installationFolder === null ? assetAt(path) : readFileSync(installationFolder + path)

export const hasInstalledFile = (path: string): boolean =>
  installationFolder === null
    ? getAssetKeys().includes(path)
    : existsSync(installationFolder + path)

/** The bytes where they are in the memory of the process, which cannot be written to. */
const assetAt = (path: string): Buffer => Buffer.from(getRawAsset(path))
