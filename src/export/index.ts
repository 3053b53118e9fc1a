export {
  type ExportedFile,
  type ExportManifest,
  type ExportOptions,
  type ExportProgress,
  exportBrand,
} from './export.ts'
export { type ExportFormat, exportFormats } from './formats.ts'
