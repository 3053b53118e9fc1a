export {
  type ExportOptions,
  type ExportProgress,
  exportBrand,
  type Manifest,
  type ManifestFile,
} from './export.ts'
export { type ExportFormat, exportFormats } from './formats.ts'
