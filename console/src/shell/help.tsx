import { Dialog } from './dialog.tsx'

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/', 'Ctrl K'], 'Find a group'],
  [['?'], 'Show this help'],
  [['↑', '↓', '←', '→'], 'Move between the cells of a table'],
  [['Home', 'End'], 'Go to the first or last column'],
  [['Enter'], 'Follow the reference in the cell, or open the record'],
  [['c'], 'Copy the cell'],
  [['j'], 'Copy the row as JSON'],
  [['n', 'p'], 'Next and previous page of a list'],
  [['Esc'], 'Close the open dialog or menu'],
]

export const Help = ({ onClose }: { onClose: () => void }) => (
  <Dialog label="Help" className="help" onClose={onClose}>
    <h2>Help</h2>
    <dl className="keys">
      {keys.map(([names, what]) => (
        <div key={what}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <p>
      Everything here comes from the public API, with your key. Under <strong>Call</strong> every
      list and record shows the request that made it. The address of a page holds the brand, the
      group, the filters and the record: send it to somebody who has a key, and they see the same.
    </p>
    <p>
      <a href="/docs">The API reference</a> has every operation and field.
    </p>
    <button type="button" onClick={onClose}>
      Close
    </button>
  </Dialog>
)
