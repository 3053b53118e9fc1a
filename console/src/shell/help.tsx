import { texts } from '../texts/index.ts'
import { Dialog } from './dialog.tsx'

type Shortcut = Exclude<keyof ReturnType<typeof texts>['shell']['help'], 'title' | 'about'>

const shortcuts: readonly (readonly [keys: readonly string[], what: Shortcut])[] = [
  [['/', 'Ctrl K'], 'search'],
  [['Ctrl ↵'], 'newTab'],
  [['?'], 'show'],
  [['↑', '↓', '←', '→'], 'cells'],
  [['Home', 'End'], 'ends'],
  [['Enter'], 'enter'],
  [['j', 'k'], 'rows'],
  [['x', '⇧ X'], 'select'],
  [['c'], 'copyCell'],
  [['⇧ C'], 'copyRow'],
  [['n', 'p'], 'pages'],
  [['Esc'], 'escape'],
]

export const Help = ({ onClose }: { onClose: () => void }) => {
  const words = texts().shell.help
  return (
    <Dialog label={words.title} className="help" onClose={onClose}>
      <h2>{words.title}</h2>
      <dl className="keys">
        {shortcuts.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words[what]}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">{words.about}</p>
      <button
        type="button"
        // Closing the dialog itself restores the focus.
        onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}
      >
        {texts().states.close}
      </button>
    </Dialog>
  )
}
