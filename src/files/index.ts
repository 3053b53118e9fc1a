export {
  type Manifest,
  type ManifestFile,
  manifestFile,
  readManifest,
  recordFile,
  sha256Of,
  writeManifest,
} from './manifest.ts'
export { fileMode, folderMode, replaceFile } from './replace-file.ts'
