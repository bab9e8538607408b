import type { InteractionField } from '@rostra/protocol/api/interactions';
import type { Json } from '@rostra/protocol/wire/json';
import { useId } from 'react';

export const fieldClass =
  'w-full rounded-lg border border-line bg-page px-3 py-2 text-sm text-ink placeholder:text-dim focus:border-accent';

interface FieldProps {
  field: InteractionField;
  value: Json | undefined;
  set(value: Json): void;
}

/** One thing that a form asks for. */
export function Field({ field, value, set }: FieldProps) {
  const id = useId();
  if (field.type === 'boolean') {
    return (
      <label htmlFor={id} className="flex items-center gap-2 text-sm">
        <input id={id} type="checkbox" checked={value === true} onChange={(event) => set(event.target.checked)} />
        {field.label}
      </label>
    );
  }
  if (field.type === 'multi-select') return <Several field={field} value={value} set={set} />;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-[13px] font-medium">
        {field.label}
        {field.required && <span className="text-bad"> *</span>}
      </label>
      <Single id={id} field={field} value={value} set={set} />
    </div>
  );
}

function Single({ id, field, value, set }: FieldProps & { id: string }) {
  const { type, required, options, min, max } = field;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (type === 'select') {
    return (
      <select id={id} required={required} className={fieldClass} value={text} onChange={(e) => set(e.target.value)}>
        <option value="" />
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'text') {
    return (
      <textarea
        id={id}
        rows={4}
        required={required}
        className={fieldClass}
        value={text}
        onChange={(event) => set(event.target.value)}
      />
    );
  }
  if (type === 'string') {
    return (
      <input id={id} required={required} className={fieldClass} value={text} onChange={(e) => set(e.target.value)} />
    );
  }
  return (
    <input
      id={id}
      type="number"
      step={type === 'integer' ? 1 : 'any'}
      min={min}
      max={max}
      required={required}
      className={fieldClass}
      value={text}
      onChange={(event) => set(event.target.value === '' ? null : Number(event.target.value))}
    />
  );
}

function Several({ field, value, set }: FieldProps) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="grid gap-1">
      <legend className="text-[13px] font-medium">{field.label}</legend>
      {field.options.map((option) => (
        <label key={option.value} className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={(event) =>
              set(event.target.checked ? [...chosen, option.value] : chosen.filter((each) => each !== option.value))
            }
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
