export {
  assetsPath,
  type BuiltFile,
  type Console,
  type ConsoleFile,
  createConsole,
  guidesPath,
  isConsoleBuilt,
  referencePath,
} from './site.ts'
