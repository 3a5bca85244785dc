/** Object field. Members that the schema does not list are sent unchanged. */

import { isObject } from '../../../../shared/json/is-object.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Member, titleOf } from '../schema/field.ts'
import { initialValue } from '../schema/initial-value.ts'
import { type DrawnProps, useForm } from './form-context.ts'
import { Group } from './Group.tsx'

export function ObjectField({
  path,
  label,
  isRequired,
  value,
  schema,
  hint,
  members,
  depth,
  onChange,
}: DrawnProps & { members: readonly Member[] }) {
  const { root, Draw, problemAt } = useForm()
  if (value === undefined && path.length > 0) {
    return (
      <Group path={path} label={label} isOptional={!isRequired} hint={hint}>
        <Button
          isSmall
          className="justify-self-start"
          onClick={() => onChange(initialValue(schema, root, true, depth))}
        >
          Add {label}
        </Button>
      </Group>
    )
  }
  const whole = isObject(value) ? value : {}
  const known = new Set(members.map(({ name }) => name))
  const others = Object.keys(whole).filter((name) => !known.has(name))

  function change(name: string, to: unknown): void {
    const { [name]: _, ...rest } = whole
    onChange(to === undefined ? rest : { ...whole, [name]: to })
  }

  const fields = (
    <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">
      {members.map(({ name, schema: member, isRequired: isMemberRequired }) => (
        <div key={name} className="has-[fieldset]:col-span-full has-[textarea]:col-span-full">
          <Draw
            schema={member}
            path={[...path, name]}
            label={titleOf(member, name)}
            isRequired={isMemberRequired}
            value={whole[name]}
            depth={depth + 1}
            onChange={(to) => change(name, to)}
          />
        </div>
      ))}
      {others.length > 0 && (
        <p className="col-span-full text-muted text-xs wrap-anywhere">
          Sent unchanged:{' '}
          {others
            .map((name) => (problemAt([...path, name]) === null ? name : `${name} (${problemAt([...path, name])})`))
            .join(', ')}
        </p>
      )}
    </div>
  )
  if (path.length === 0) return fields
  return (
    <Group
      path={path}
      label={label}
      isOptional={!isRequired}
      hint={hint}
      {...(!isRequired && { onRemove: () => onChange(undefined) })}
    >
      {fields}
    </Group>
  )
}
