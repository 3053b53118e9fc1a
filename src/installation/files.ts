import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { getAssetKeys, getRawAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/**
 * The folder of this program's checkout or package. Null for the single executable, which contains
 * its files.
 */
export const installationFolder: string | null = isSea()
  ? null
  : fileURLToPath(new URL('../../', import.meta.url))

/** Reads a file of the installation by its relative path, such as `openapi.json`. */
export const installedFile = async (path: string): Promise<Buffer> => {
  if (installationFolder === null) return assetAt(path)
  if (hasInstalledFile(path)) return readFile(installationFolder + path)
  // The package contains its largest document compressed.
  return promisify(gunzip)(await readFile(`${installationFolder}${path}.gz`))
}

/** `installedFile` for the few callers that cannot wait. */
export const installedFileSync = (path: string): Buffer =>
  installationFolder === null ? assetAt(path) : readFileSync(installationFolder + path)

export const hasInstalledFile = (path: string): boolean =>
  installationFolder === null
    ? getAssetKeys().includes(path)
    : existsSync(installationFolder + path)

/** The asset's bytes in the process image, without a copy. They are read-only. */
const assetAt = (path: string): Buffer => Buffer.from(getRawAsset(path))
