# The MLIR and LLVM shared libraries as one interface target, so that only libraries that ask for it
# see their headers: runtime/ does not.
add_library(mkc_mlir INTERFACE)
target_include_directories(mkc_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(mkc_mlir INTERFACE MLIR LLVM)
set(MKC_TABLEGEN_INCLUDES ${MLIR_INCLUDE_DIRS} ${PROJECT_SOURCE_DIR})

# mkc_dialect_tablegen(NAME NAMESPACE TD): NAME.{Ops,Types,Attrs,Enums,Dialect}.{h,cpp}.inc for a dialect's .td file
# beside the caller, collected in the target <NAME>IncGen.
function(mkc_dialect_tablegen name dialect td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${dialect} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Enums.h.inc -gen-enum-decls EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Enums.cpp.inc -gen-enum-defs EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${dialect} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${dialect} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${dialect} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${dialect} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Ops.h.inc -gen-op-decls EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  mlir_tablegen(${name}Ops.cpp.inc -gen-op-defs EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  add_public_tablegen_target(${name}IncGen)
endfunction()

# mkc_pass_tablegen(NAME): Passes.h.inc of the Passes.td beside the caller.
function(mkc_pass_tablegen name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=${name} EXTRA_INCLUDES ${MKC_TABLEGEN_INCLUDES})
  add_public_tablegen_target(Mkc${name}PassesIncGen)
endfunction()

# lld as a library. Debian has it static only; its LLVM is the shared one.
add_library(mkc_lld INTERFACE)
target_link_libraries(mkc_lld INTERFACE
  ${LLVM_LIBRARY_DIR}/liblldELF.a ${LLVM_LIBRARY_DIR}/liblldCommon.a LLVM ZLIB::ZLIB zstd)
