/** A list: items are added at the end and taken out anywhere. */
import { Button } from '../../../ui/Button.tsx'
import { firstValue } from '../schema/first-value.ts'
import type { Schema } from '../schema/schema.ts'
import { type DrawnProps, useForm } from './form-context.ts'
import { Group } from './Group.tsx'

/** A form of more fields than this is slow and no help. */
const MOST_DRAWN = 100

export function ListField({
  path,
  label,
  isRequired,
  value,
  hint,
  items,
  depth,
  onChange,
}: DrawnProps & { items: Schema }) {
  const { root, Draw } = useForm()
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const without = (place: number) => list.filter((_, other) => other !== place)
  return (
    <Group path={path} label={label} isOptional={!isRequired} hint={hint}>
      {list.slice(0, MOST_DRAWN).map((item, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have nothing but their place
        <div key={place} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Draw
              schema={items}
              path={[...path, place]}
              label={`${label} ${place + 1}`}
              isRequired
              value={item}
              depth={depth + 1}
              onChange={(to) => onChange(list.map((one, other) => (other === place ? to : one)))}
            />
          </div>
          <Button
            isSmall
            weight="quiet"
            className="mt-6"
            aria-label={`Take out ${label} ${place + 1}`}
            onClick={() => onChange(list.length === 1 && !isRequired ? undefined : without(place))}
          >
            ✕
          </Button>
        </div>
      ))}
      {list.length > MOST_DRAWN && <p className="text-muted text-xs">and {list.length - MOST_DRAWN} more</p>}
      <Button
        isSmall
        className="justify-self-start"
        onClick={() => onChange([...list, firstValue(items, root, true, depth + 1)])}
      >
        Add {label}
      </Button>
    </Group>
  )
}
