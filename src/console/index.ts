export {
  assetsPath,
  type Console,
  type ConsoleFile,
  openConsole,
  referencePath,
} from './site.ts'
