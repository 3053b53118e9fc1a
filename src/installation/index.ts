export {
  hasInstalledFile,
  installationFolder,
  installedFile,
  installedFileSync,
} from './files.ts'
export { memoryLimit } from './memory.ts'
export {
  cacheCompiledSources,
  forkedProgram,
  loadModule,
  lowerThreadPriority,
  processProgram,
  smallYoungGeneration,
  startThread,
  threadAsset,
} from './programs.ts'
