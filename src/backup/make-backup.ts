import { readArchive } from './archive-reader.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { damaged } from './backup-error.ts'
import type { BackupManifest } from './manifest.ts'
import type { BackupSource } from './source.ts'
import type { BackupDraft, BackupTarget } from './target.ts'

export interface MakeBackupParts {
  readonly source: BackupSource
  readonly target: BackupTarget
  readonly release: string
  readonly encryption: { readonly secret: Uint8Array; readonly salt: Uint8Array } | null
  readonly now: () => number
  readonly onProgress: (step: BackupStep, bytes: number, expected: number | null) => void
  /** Ends the work between two parts. */
  readonly signal: AbortSignal
}

export type BackupStep = 'Copying' | 'Writing' | 'Verifying'

export interface MadeBackup {
  /** Where it is, without secrets. */
  readonly place: string
  readonly takenAt: string
  readonly bytes: number
  readonly durationMs: number
  readonly manifest: BackupManifest
}

/** More than zstd, tar and encryption can add to what does not compress. */
const overhead = 1.05
const overheadBytes = 64 * 1_048_576

/** Makes a backup, reads it again and checks it, and only then gives it its name. */
export const makeBackup = async (parts: MakeBackupParts): Promise<MadeBackup> => {
  const { now, signal } = parts
  const begunAt = now()
  const { draft, manifest, bytes } = await write(parts)
  try {
    await verify(parts, draft, manifest, bytes)
    signal.throwIfAborted()
    const place = await draft.publish()
    return { place, takenAt: manifest.takenAt, bytes, durationMs: now() - begunAt, manifest }
  } catch (error) {
    await draft.abort()
    throw error
  }
}

interface WrittenBackup {
  readonly draft: BackupDraft
  readonly manifest: BackupManifest
  readonly bytes: number
}

const write = async (parts: MakeBackupParts): Promise<WrittenBackup> => {
  const { source, target, release, encryption, now, onProgress, signal } = parts
  const copy = await source.begin((copied, expected) => {
    onProgress('Copying', copied, expected)
    signal.throwIfAborted()
  })
  try {
    const { installation } = copy
    const bytesMax = Math.ceil(copy.bytes * overhead) + overheadBytes
    const draft = await target.create({ installation, at: now(), bytesMax })
    try {
      let bytes = 0
      const sink = {
        write: async (part: Uint8Array) => {
          signal.throwIfAborted()
          await draft.write(part)
          bytes += part.length
        },
      }
      const writer = createArchiveWriter(sink, { encryption, at: now() })
      let read = 0
      const counted = async function* (content: AsyncIterable<Uint8Array>) {
        for await (const chunk of content) {
          read += chunk.length
          onProgress('Writing', read, copy.bytes)
          yield chunk
        }
      }
      for (const file of copy.files) await writer.add(file.name, counted(file.read()))
      const manifest = await writer.finish({ ...(await copy.state()), release })
      await draft.finish()
      return { draft, manifest, bytes }
    } catch (error) {
      await draft.abort()
      throw error
    }
  } finally {
    await copy.close()
  }
}

/** Reads the archive from its target to its end, and checks everything in it. */
const verify = async (
  { source, encryption, onProgress, signal }: MakeBackupParts,
  draft: BackupDraft,
  written: BackupManifest,
  bytes: number,
): Promise<void> => {
  const verifier = await source.verifier()
  try {
    let read = 0
    const counted = async function* () {
      for await (const chunk of draft.read()) {
        signal.throwIfAborted()
        read += chunk.length
        onProgress('Verifying', read, bytes)
        yield chunk
      }
    }
    const manifest = await readArchive(counted(), {
      secret: encryption?.secret ?? null,
      onFile: verifier.take,
    })
    if (JSON.stringify(manifest) !== JSON.stringify(written)) {
      throw damaged('it is not the one that was written')
    }
    await verifier.finish(manifest)
  } finally {
    await verifier.close()
  }
}

/**
 * Removes all but the newest backups of an installation, and returns their names. Keeps the one that
 * was just made, at this place, also if the clock was set back and others have later names.
 */
export const removeOldBackups = async (
  target: BackupTarget,
  { place, manifest: { installation } }: MadeBackup,
  keep: number,
): Promise<readonly string[]> => {
  const names = await target.list(installation)
  const others = names.filter((name) => !place.endsWith(name))
  const old = others.slice(0, Math.max(others.length - (keep - 1), 0))
  for (const name of old) await target.remove(name)
  return old
}
