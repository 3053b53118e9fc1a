import { Menu } from '../menu.tsx'
import { DotsIcon } from '../shell/icons.tsx'

interface RowMenuProps {
  /** Names the row, for screen readers. */
  readonly label: string
  readonly items: readonly (readonly [name: string, onChoose: () => void])[]
}

/** The actions of a row. */
export const RowMenu = ({ label, items }: RowMenuProps) => (
  <Menu className="bar-settings" label={label} title={<DotsIcon />}>
    {(close) => (
      <div className="settings">
        {items.map(([name, onChoose]) => (
          <button
            key={name}
            type="button"
            className="plain settings-item"
            onClick={() => {
              close()
              onChoose()
            }}
          >
            {name}
          </button>
        ))}
      </div>
    )}
  </Menu>
)
