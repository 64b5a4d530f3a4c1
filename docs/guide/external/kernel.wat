;; The linear kernel on vectors for kerf: --kernel wasm:kernel.wasm
;; wat2wasm kernel.wat makes kernel.wasm of it.
(module
  (memory (export "memory") 1)
  (global $free (mut i32) (i32.const 8))

  ;; Returns where size bytes are free. kerf asks for two places, and for larger
  ;; ones when longer instances come; none is ever given back.
  (func (export "alloc") (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $free))
    (global.set $free
      (i32.and (i32.add (i32.add (local.get $at) (local.get $size)) (i32.const 7)) (i32.const -8)))
    (block $enough
      (br_if $enough
        (i32.le_u (global.get $free) (i32.mul (memory.size) (i32.const 65536))))
      (br_if $enough
        (i32.ne (i32.const -1)
          (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $size) (i32.const 16))))))
      (unreachable))
    (local.get $at))

  ;; Returns the sum of x[j]*y[j] over the coordinates that both have.
  (func (export "kernel") (param $x i32) (param $xlen i32) (param $y i32) (param $ylen i32) (result f64)
    (local $sum f64)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $xlen)))
        (br_if $done (i32.eqz (local.get $ylen)))
        (local.set $sum
          (f64.add (local.get $sum)
            (f64.mul (f64.load (local.get $x)) (f64.load (local.get $y)))))
        (local.set $x (i32.add (local.get $x) (i32.const 8)))
        (local.set $y (i32.add (local.get $y) (i32.const 8)))
        (local.set $xlen (i32.sub (local.get $xlen) (i32.const 1)))
        (local.set $ylen (i32.sub (local.get $ylen) (i32.const 1)))
        (br $next)))
    (local.get $sum)))
