/** Array field: items can be appended and removed. */
import { Button } from '../../../ui/Button.tsx'
import { initialValue } from '../schema/initial-value.ts'
import type { Schema } from '../schema/schema.ts'
import { type DrawnProps, useForm } from './form-context.ts'
import { Group } from './Group.tsx'

/** A form with more items is slow. */
const MAX_ITEMS = 100

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
  const without = (index: number) => list.filter((_, other) => other !== index)
  return (
    <Group path={path} label={label} isOptional={!isRequired} hint={hint}>
      {list.slice(0, MAX_ITEMS).map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity besides their index
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Draw
              schema={items}
              path={[...path, index]}
              label={`${label} ${index + 1}`}
              isRequired
              value={item}
              depth={depth + 1}
              onChange={(to) => onChange(list.map((one, other) => (other === index ? to : one)))}
            />
          </div>
          <Button
            isSmall
            weight="quiet"
            className="mt-6"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(list.length === 1 && !isRequired ? undefined : without(index))}
          >
            ✕
          </Button>
        </div>
      ))}
      {list.length > MAX_ITEMS && <p className="text-muted text-xs">and {list.length - MAX_ITEMS} more</p>}
      <Button
        isSmall
        className="justify-self-start"
        onClick={() => onChange([...list, initialValue(items, root, true, depth + 1)])}
      >
        Add {label}
      </Button>
    </Group>
  )
}
